include "classes.inc"
class R<int n> { list<int> N = [n]; bits<4> M = n; }
def A : R<1>;
def B : R<2>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["M", "N"]; }
