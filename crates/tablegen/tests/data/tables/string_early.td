include "classes.inc"
class R<string n> { string N = n; }
def A : R<"a">;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; }
def f : SearchIndex { let Table = T; let Key = ["N"]; let EarlyOut = 1; }
