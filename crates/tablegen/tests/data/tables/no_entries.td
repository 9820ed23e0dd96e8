include "classes.inc"
class R<int n> { bits<8> N = n; }
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; }
