include "classes.inc"
class R;
def A : R { bits<8> N = 1; }
def B : R { string N = "x"; }
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; }
