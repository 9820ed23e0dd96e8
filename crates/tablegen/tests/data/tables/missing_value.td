include "classes.inc"
class R<int n> { bits<8> N = n; string S = ?; }
multiclass M<int n> { def x : R<n>; }
defm A : M<1>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N", "S"]; }
