// Operators that LLVM 19 does not have.
class T<int rank = 0> { int Rank = rank; }
def X : T<3>;
def Y1 : T<1>;
def Y10 : T<2>;
def Y2 : T<2>;
def op;

def Lists {
  list<int> Flat = !listflatten([[1, 2], [3]]);
  list<T> All = !instances<T>();
  list<T> Some = !instances<T>("^Y[0-9]+$");
  list<T> None = !instances<T>("^y");
  list<T> ByRank = !sort(t, !instances<T>(), t.Rank);
  list<string> ByText = !sort(s, ["pear", "fig", "apple", "fig2"], !substr(s, 1));
  list<int> Down = !sort(i, [2, 9, 4], !sub(0, i));
}

class Matching<string s> {
  bit Word = !match(s, "^[[:alpha:]_][[:alnum:]_]*$");
  bit Number = !match(s, "^(0x[0-9a-f]+|[0-9]+)$");
  bit Digits = !match(s, "[0-9]{2,}");
  bit Set = !initialized(s);
  list<T> Named = !instances<T>("^" # s);
}
def M1 : Matching<"Y1">;
def M2 : Matching<"0x1f">;
def M3 : Matching<"1234">;

def Dags {
  string Name = !getdagopname((op:$first 1, 2));
  string NoName = !getdagopname((op 1, 2));
  dag Renamed = !setdagopname((op:$first 1, 2:$x), "second");
  dag Named = !setdagopname((op 1), "only");
}

foreach t = !instances<T>("^Y") in
  def Of_ # t { T From = t; }

class Chosen<int n> {
  string Name = !switch(n, 1: "one", 2: "two", "many");
}
def One : Chosen<1>;
def Two : Chosen<2>;
def Many : Chosen<9>;
