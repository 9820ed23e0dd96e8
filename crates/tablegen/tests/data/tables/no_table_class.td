include "classes.inc"
class R<int n> { bits<8> N = n; }
def : R<1>;
def T : GenericTable { let FilterClass = "Q"; let Fields = ["N"]; }
