include "classes.inc"
class R<int n> { bits<8> N = n; bits<8> O = n; }
def A : R<1>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; let PrimaryKey = ["O"]; let PrimaryKeyName = "f"; }
