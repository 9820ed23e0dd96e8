include "classes.inc"
class R<int n> { int N = n; }
def A : R<1>;
def B : R<2>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; }
