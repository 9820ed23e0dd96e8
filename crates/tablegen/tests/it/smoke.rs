//! Any input gives records or an error, within bounds: mutated programs, and the nastiest that come to mind. Drives
//! the same function as the fuzz target.

use isaglot_tablegen::oracle::check_any_input;
use isaglot_testing::Random;

const PROGRAMS: &[&str] =
    &[include_str!("../data/enc.td"), include_str!("../data/language.td"), include_str!("../data/multi.td")];

#[test]
fn mutated_programs() {
    let mut random = Random::new(0x1234_5678);
    let pieces: Vec<&str> = PROGRAMS.iter().flat_map(|p| p.split_inclusive([' ', '\n'])).collect();
    for round in 0..1500 {
        check_any_input(&random.mutated(PROGRAMS[round % PROGRAMS.len()].as_bytes(), &pieces));
    }
}

#[test]
fn noise() {
    let mut random = Random::new(99);
    for _ in 0..500 {
        let length = random.index(300);
        check_any_input(&random.bytes(length));
    }
}

#[test]
fn hostile_programs() {
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let programs = [
        format!("defvar x = {};", deep("[", "]", 50_000)),
        format!("defvar x = {};", deep("!not(", ")", 50_000)),
        format!("def A {{ {} x; }}", deep("list<", ">", 50_000)),
        deep("let x = 1 in {", "}", 50_000),
        format!("class C<int n> {{ {} }}", "int x = C<!add(n, 1)>.x;"),
        "class C<int n> { int x = C<!add(n, 1)>.x; } def D : C<0>;".to_owned(),
        "class C<int n> { int a = C<!add(n, 1)>.a; int b = C<!mul(n, 3)>.b; } defvar y = C<1>.a;".to_owned(),
        "defvar x = !range(0, 0x1000000000000000);".to_owned(),
        "defvar x = !listsplat(0, 0x1000000000000000);".to_owned(),
        "def A { list<int> x = [1,2][0...0x7fffffffffffffff]; }".to_owned(),
        "foreach i = 0-4294967295 in def A#i;".to_owned(),
        "def A { bits<4294967295> x; }".to_owned(),
        "def A { bits<1048576> x; } def B { bits<1048576> y; }".to_owned(),
        "def A { int x = !shl(1, 0x7fffffffffffffff); int y = !sra(-1, -5); }".to_owned(),
        "defvar x = !subst(\"\", \"a\", \"b\");".to_owned(),
        "def A { let x{99999999} = 1; bits<4> x; } ".to_owned(),
        "def A { bits<4> x; let x{9} = 1; } ".to_owned(),
        "class A<string s> { string d = s # s; } defvar x = !foldl(\"x\", !range(100), a, b, a # a);".to_owned(),
        "defvar x = !foldl([1], !range(100), a, b, !listconcat(a, a));".to_owned(),
        "def o; defvar x = !foldl((o 1), !range(100000), a, b, (o a));".to_owned(),
        "class A { dag d = (o); } def o; class L<dag x> { dag y = (o x, x); } \
         class T<int n> { dag d = !if(n, (o T<!sub(n, 1)>.d, T<!sub(n, 1)>.d), (o)); } def Z : T<40>;"
            .to_owned(),
        "multiclass M { defm x : M; } defm y : M;".to_owned(),
        "multiclass M<int n> { foreach i = 0-99 in def _#i; } multiclass N { foreach i = 0-99 in defm _#i : M<i>; } \
         multiclass P { foreach i = 0-99 in defm _#i : N; } defm Z : P;"
            .to_owned(),
        "class A : A; class B : C; class C; def x : C, C;".to_owned(),
        "def A { int x = y; int y = x; } def B { B b = B; int q = B.q; }".to_owned(),
        "#ifdef A\n#ifdef B\n#else\n#else\n".to_owned(),
        "/* /* /* ".to_owned(),
        "[{ ".to_owned(),
        format!("class A {{ {} }}", (0..20_000).map(|i| format!("int x{i};")).collect::<String>()),
        "include \"self\"".to_owned(),
        "def A; def B { dag d = (A $a, $b); dag e = !foreach(x, d, !foreach(y, d, !con(d, d))); }".to_owned(),
        "class A<list<int> l> { int h = !head(l); list<int> t = !tail(l); } def B : A<[]>;".to_owned(),
        "def Set { list<dag> s = []; }".to_owned(),
        "class Set<dag d> { dag Elements = d; } def add; def S : Set<(add S)>;".to_owned(),
    ];
    for program in programs {
        check_any_input(program.as_bytes());
    }
}
