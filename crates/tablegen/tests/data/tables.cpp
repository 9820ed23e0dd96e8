#ifdef GET_Colours_DECL
enum Colours {
  blue = 35,
  Green = 34,
  red = 33,
};
#endif

#ifdef GET_Shapes_DECL
enum Shapes {
  Shape1 = 0,
  Shape10 = 1,
  Shape2 = 2,
};
#endif

#ifdef GET_LEVEL_DECL
enum LevelValues {
  low = 1,
  high = 9,
};
#endif

#ifdef GET_Aliases_DECL
llvm::iterator_range<const Alias *> aliasesOf(uint8_t Of);
#endif

#ifdef GET_Aliases_IMPL
constexpr Alias Aliases[] = {
  { 0x1, a }, // 0
  { 0x1, b }, // 1
  { 0x6, c }, // 2
 };

llvm::iterator_range<const Alias *> aliasesOf(uint8_t Of) {
  struct KeyType {
    uint8_t Of;
  };
  KeyType Key = {Of};
  struct Comp {
    bool operator()(const Alias &LHS, const KeyType &RHS) const {
      if (LHS.Of < RHS.Of)
        return true;
      if (LHS.Of > RHS.Of)
        return false;
      return false;
    }
    bool operator()(const KeyType &LHS, const Alias &RHS) const {
      if (LHS.Of < RHS.Of)
        return true;
      if (LHS.Of > RHS.Of)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Aliases);
  auto It = std::equal_range(Table.begin(), Table.end(), Key, Comp());
  return llvm::make_range(It.first, It.second);
}
#endif

#ifdef GET_Brushes_DECL
const BrushInfo *brushBySize(uint16_t Size, unsigned Tip);
const BrushInfo *brushByName(StringRef Name);
const BrushInfo *brushByPaint(unsigned Paint);
const BrushInfo *brushByTip(unsigned Tip, StringRef Name, bool Soft);
const BrushInfo *brushByWide(uint64_t Wide);
const BrushInfo *tipOrder(unsigned Tip);
#endif

#ifdef GET_Brushes_IMPL
constexpr BrushInfo Brushes[] = {
  { "narrow", blue, Shape1, 0x1, 0x40000000, false, "plain", <narrow> }, // 0
  { "Narrow", blue, Shape2, 0x1, 0x40000000, false, , <Narrow> }, // 1
  { "Middle", Green, Shape2, 0x11, 0x440000000, true, , <Middle> }, // 2
  { "wide", red, Shape10, 0x28, 0xA00000000, true,  Size > 3 , <wide> }, // 3
 };

const BrushInfo *brushBySize(uint16_t Size, unsigned Tip) {
  struct KeyType {
    uint16_t Size;
    unsigned Tip;
  };
  KeyType Key = {Size, Tip};
  struct Comp {
    bool operator()(const BrushInfo &LHS, const KeyType &RHS) const {
      if (LHS.Size < RHS.Size)
        return true;
      if (LHS.Size > RHS.Size)
        return false;
      if ((unsigned)LHS.Tip < (unsigned)RHS.Tip)
        return true;
      if ((unsigned)LHS.Tip > (unsigned)RHS.Tip)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Brushes);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Size != Idx->Size ||
      Key.Tip != Idx->Tip)
    return nullptr;

  return &*Idx;
}

const BrushInfo *brushByName(StringRef Name) {
  struct IndexType {
    const char * Name;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { "MIDDLE", 2 },
    { "NARROW", 0 },
    { "NARROW", 1 },
    { "WIDE", 3 },
  };

  struct KeyType {
    std::string Name;
  };
  KeyType Key = {Name.upper()};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      int CmpName = StringRef(LHS.Name).compare(RHS.Name);
      if (CmpName < 0) return true;
      if (CmpName > 0) return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Name != Idx->Name)
    return nullptr;

  return &Brushes[Idx->_index];
}

const BrushInfo *brushByPaint(unsigned Paint) {
  struct IndexType {
    unsigned Paint;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { red, 3 },
    { Green, 2 },
    { blue, 0 },
    { blue, 1 },
  };

  struct KeyType {
    unsigned Paint;
  };
  KeyType Key = {Paint};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      if ((unsigned)LHS.Paint < (unsigned)RHS.Paint)
        return true;
      if ((unsigned)LHS.Paint > (unsigned)RHS.Paint)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Paint != Idx->Paint)
    return nullptr;

  return &Brushes[Idx->_index];
}

const BrushInfo *brushByTip(unsigned Tip, StringRef Name, bool Soft) {
  struct IndexType {
    unsigned Tip;
    const char * Name;
    bool Soft;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { Shape1, "NARROW", false, 0 },
    { Shape10, "WIDE", true, 3 },
    { Shape2, "MIDDLE", true, 2 },
    { Shape2, "NARROW", false, 1 },
  };

  if ((Tip < Shape1) ||
      (Tip > Shape2))
    return nullptr;

  struct KeyType {
    unsigned Tip;
    std::string Name;
    bool Soft;
  };
  KeyType Key = {Tip, Name.upper(), Soft};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      if ((unsigned)LHS.Tip < (unsigned)RHS.Tip)
        return true;
      if ((unsigned)LHS.Tip > (unsigned)RHS.Tip)
        return false;
      int CmpName = StringRef(LHS.Name).compare(RHS.Name);
      if (CmpName < 0) return true;
      if (CmpName > 0) return false;
      if (LHS.Soft < RHS.Soft)
        return true;
      if (LHS.Soft > RHS.Soft)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Tip != Idx->Tip ||
      Key.Name != Idx->Name ||
      Key.Soft != Idx->Soft)
    return nullptr;

  return &Brushes[Idx->_index];
}

const BrushInfo *brushByWide(uint64_t Wide) {
  struct IndexType {
    uint64_t Wide;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { 0x40000000, 0 },
    { 0x40000000, 1 },
    { 0x440000000, 2 },
    { 0xA00000000, 3 },
  };

  if ((Wide < 0x40000000) ||
      (Wide > 0xA00000000))
    return nullptr;

  struct KeyType {
    uint64_t Wide;
  };
  KeyType Key = {Wide};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      if (LHS.Wide < RHS.Wide)
        return true;
      if (LHS.Wide > RHS.Wide)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Wide != Idx->Wide)
    return nullptr;

  return &Brushes[Idx->_index];
}

const BrushInfo *tipOrder(unsigned Tip) {
  struct IndexType {
    unsigned Tip;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { Shape1, 0 },
    { Shape10, 3 },
    { Shape2, 1 },
    { Shape2, 2 },
  };

  struct KeyType {
    unsigned Tip;
  };
  KeyType Key = {Tip};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      if ((unsigned)LHS.Tip < (unsigned)RHS.Tip)
        return true;
      if ((unsigned)LHS.Tip > (unsigned)RHS.Tip)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Tip != Idx->Tip)
    return nullptr;

  return &Brushes[Idx->_index];
}
#endif

#ifdef GET_Ports_DECL
const Port *portByNumber(uint16_t Number);
const Port *portByLabel(StringRef Label);
#endif

#ifdef GET_Ports_IMPL
constexpr Port Ports[] = {
  { 0x8, "p8" }, // 0
  { 0x9, "p9" }, // 1
  { 0xA, "p10" }, // 2
  { 0xB, "p11" }, // 3
  { 0xC, "p12" }, // 4
  { 0xD, "p13" }, // 5
 };

const Port *portByNumber(uint16_t Number) {
  if ((Number < 0x8) ||
      (Number > 0xD))
    return nullptr;
  auto Table = ArrayRef(Ports);
  size_t Idx = Number - 0x8;
  return &Table[Idx];
}

const Port *portByLabel(StringRef Label) {
  struct IndexType {
    const char * Label;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { "P10", 2 },
    { "P11", 3 },
    { "P12", 4 },
    { "P13", 5 },
    { "P8", 0 },
    { "P9", 1 },
  };

  struct KeyType {
    std::string Label;
  };
  KeyType Key = {Label.upper()};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      int CmpLabel = StringRef(LHS.Label).compare(RHS.Label);
      if (CmpLabel < 0) return true;
      if (CmpLabel > 0) return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Label != Idx->Label)
    return nullptr;

  return &Ports[Idx->_index];
}
#endif

#ifdef GET_LEVEL_DECL
const Level *lookupLevelByName(StringRef Name);
const Level *lookupLevelByValue(uint8_t Value);
#endif

#ifdef GET_LEVEL_IMPL
constexpr Level LevelsList[] = {
  { "high", 0x9 }, // 0
  { "low", 0x1 }, // 1
 };

const Level *lookupLevelByName(StringRef Name) {
  struct IndexType {
    const char * Name;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { "HIGH", 0 },
    { "LOW", 1 },
  };

  struct KeyType {
    std::string Name;
  };
  KeyType Key = {Name.upper()};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      int CmpName = StringRef(LHS.Name).compare(RHS.Name);
      if (CmpName < 0) return true;
      if (CmpName > 0) return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Name != Idx->Name)
    return nullptr;

  return &LevelsList[Idx->_index];
}

const Level *lookupLevelByValue(uint8_t Value) {
  struct IndexType {
    uint8_t Value;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { 0x1, 1 },
    { 0x9, 0 },
  };

  struct KeyType {
    uint8_t Value;
  };
  KeyType Key = {Value};
  struct Comp {
    bool operator()(const IndexType &LHS, const KeyType &RHS) const {
      if (LHS.Value < RHS.Value)
        return true;
      if (LHS.Value > RHS.Value)
        return false;
      return false;
    }
  };
  auto Table = ArrayRef(Index);
  auto Idx = std::lower_bound(Table.begin(), Table.end(), Key, Comp());
  if (Idx == Table.end() ||
      Key.Value != Idx->Value)
    return nullptr;

  return &LevelsList[Idx->_index];
}
#endif

#ifdef GET_PLAIN_DECL
const Plain *lookupPlainByN(uint8_t N);
#endif

#ifdef GET_PLAIN_IMPL
constexpr Plain PlainsList[] = {
  { 0x2 }, // 0
  { 0x3 }, // 1
 };

const Plain *lookupPlainByN(uint8_t N) {
  struct IndexType {
    uint8_t N;
    unsigned _index;
  };
  static const struct IndexType Index[] = {
    { 0x2, 0 },
    { 0x3, 1 },
  };

  if ((N < 0x2) ||
      (N > 0x3))
    return nullptr;
  auto Table = ArrayRef(Index);
  size_t Idx = N - 0x2;
  return &PlainsList[Table[Idx]._index];
}
#endif

#undef GET_Aliases_DECL
#undef GET_Aliases_IMPL
#undef GET_Brushes_DECL
#undef GET_Brushes_IMPL
#undef GET_Colours_DECL
#undef GET_LEVEL_DECL
#undef GET_LEVEL_IMPL
#undef GET_PLAIN_DECL
#undef GET_PLAIN_IMPL
#undef GET_Ports_DECL
#undef GET_Ports_IMPL
#undef GET_Shapes_DECL
