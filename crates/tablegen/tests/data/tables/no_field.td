include "classes.inc"
class R<int n> { bits<8> N = n; }
def A : R<1>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N", "Other"]; }
