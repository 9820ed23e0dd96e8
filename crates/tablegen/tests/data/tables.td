// Tables that are printed as C++.
include "tables/classes.inc"

// Enumerations: with numbers, and numbered by name.
class Colour<string text, bits<8> number> {
  string Text = text;
  bits<8> Code = number;
}
def Red : Colour<"red", 0x21>;
def Green : Colour<"Green", 0x22>;
def Blue : Colour<"blue", 0x23>;
def Colours : GenericEnum {
  let FilterClass = "Colour";
  let NameField = "Text";
  let ValueField = "Code";
}
class Shape;
foreach n = [1, 2, 10] in def Shape#n : Shape;
def Shapes : GenericEnum { let FilterClass = "Shape"; }

// A table with a key of two columns, one filtered out, code, and lookups by a string, a bit and an enumeration.
class Brush<string name, Colour colour, Shape shape, int size, bit soft = 0, code test = [{}]> {
  string Name = name;
  Colour Paint = colour;
  Shape Tip = shape;
  bits<12> Size = size;
  bits<40> Wide = !shl(size, 30);
  bit Soft = soft;
  string Test = test;
  string Verbatim = "<" # name # ">";
  bit Listed = !ne(size, 0);
}
def : Brush<"wide", Red, Shape10, 40, 1, [{ Size > 3 }]>;
def : Brush<"Narrow", Blue, Shape2, 1>;
def : Brush<"narrow", Blue, Shape1, 1, 0, "plain">;
def : Brush<"none", Red, Shape1, 0>;
def : Brush<"Middle", Green, Shape2, 17, 1>;
def Brushes : GenericTable {
  let FilterClass = "Brush";
  let FilterClassField = "Listed";
  let CppTypeName = "BrushInfo";
  let Fields = ["Name", "Paint", "Tip", "Size", "Wide", "Soft", "Test", "Verbatim"];
  string TypeOf_Paint = "Colours";
  string TypeOf_Tip = "Shapes";
  string TypeOf_Verbatim = "code";
  let PrimaryKey = ["Size", "Tip"];
  let PrimaryKeyName = "brushBySize";
}
def brushByName : SearchIndex { let Table = Brushes; let Key = ["Name"]; }
def brushByTip : SearchIndex { let Table = Brushes; let Key = ["Tip", "Name", "Soft"]; let EarlyOut = 1; }
def brushByPaint : SearchIndex { let Table = Brushes; let Key = ["Paint"]; }
def brushByWide : SearchIndex { let Table = Brushes; let Key = ["Wide"]; let EarlyOut = true; }

// Keys without a gap are looked up directly; keys that repeat give a range.
class Port<bits<16> number> { bits<16> Number = number; string Label = "p" # !cast<string>(!cast<int>(number)); }
foreach n = 8...13 in def : Port<n>;
def Ports : GenericTable {
  let FilterClass = "Port";
  let Fields = ["Number", "Label"];
  let PrimaryKey = ["Number"];
  let PrimaryKeyName = "portByNumber";
}
def portByLabel : SearchIndex { let Table = Ports; let Key = ["Label"]; }
class Alias<bits<3> of, code what> { bits<3> Of = of; code What = what; }
def : Alias<1, [{a}]>;
def : Alias<1, [{b}]>;
def : Alias<6, [{c}]>;
def Aliases : GenericTable {
  let FilterClass = "Alias";
  let Fields = ["Of", "What"];
  let PrimaryKey = ["Of"];
  let PrimaryKeyName = "aliasesOf";
  let PrimaryKeyReturnRange = true;
}
def tipOrder : SearchIndex { let Table = Brushes; let Key = ["Tip"]; }

// The old way.
class Level<string name, int n> : SearchableTable {
  let SearchableFields = ["Name", "Value"];
  let EnumValueField = "Value";
  string Name = name;
  bits<5> Value = n;
}
def : Level<"low", 1>;
def : Level<"high", 9>;
class Plain<bits<4> n> : SearchableTable {
  let SearchableFields = ["N"];
  let EnumNameField = ?;
  bits<4> N = n;
}
def : Plain<3>;
def : Plain<2>;
