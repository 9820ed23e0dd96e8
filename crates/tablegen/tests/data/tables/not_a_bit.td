include "classes.inc"
class R<int n> { bits<8> N = n; int Keep = 1; }
def A : R<1>;
def T : GenericTable { let FilterClass = "R"; let FilterClassField = "Keep"; let Fields = ["N"]; }
