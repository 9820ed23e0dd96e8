include "classes.inc"
class R<string n> { string N = n; }
def A : R<"a">;
def B : R<"b">;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; let PrimaryKey = ["N"]; let PrimaryKeyName = "f"; }
