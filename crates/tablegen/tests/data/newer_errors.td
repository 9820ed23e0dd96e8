// What is wrong with newer operators; the last line ends the run.
class T;
def A { bit X = !match(12, ".*"); }
def B { list<T> X = !instances<T>(1); }
def C { list<int> X = !instances<int>(); }
def D { string X = !getdagopname([1]); }
def E { list<T> X = !sort(t, [?]<T>, t); }
def F { list<int> X = !sort(i, (T), i); }
class Later<string pattern> { bit X = !match("text", pattern); }
def G : Later<"t(e">;
