include "classes.inc"
class R<int n> { bits<65> N = n; }
def A : R<1>;
def B : R<2>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; let PrimaryKey = ["N"]; let PrimaryKeyName = "f"; }
