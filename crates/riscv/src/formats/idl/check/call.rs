//! Calls: the function is there, and its arguments are of the right number and kinds.

use isaglot_source::Span;

use super::{Checker, Kind};
use crate::formats::idl::syntax::{Expr, ExprKind, Ident, Type, TypeKind};

/// Functions of the language whose name begins with `$`.
const BUILTINS: &[&str] = &[
    "signed",
    "bits",
    "enum",
    "enum_to_a",
    "enum_size",
    "enum_element_size",
    "array_size",
    "array_includes?",
    "width",
];

/// Functions of every control and status register.
const METHODS: &[&str] = &["sw_read", "sw_write", "hw_read", "address"];

impl Checker<'_> {
    /// The kinds of all values that a call gives.
    pub(super) fn call_kinds(&mut self, e: &Expr) -> Vec<Kind> {
        match &e.kind {
            ExprKind::Call(name, templates, args) => self.function_call(name, templates, args, e.span),
            ExprKind::Builtin(name, args) => vec![self.builtin(name, args)],
            ExprKind::Method(of, name, args) => {
                let kind = self.expr(of);
                for arg in args {
                    self.expr(arg);
                }
                match kind {
                    Kind::Csr(_) if METHODS.contains(&name.text.as_str()) => {}
                    Kind::Unknown => return vec![Kind::Unknown],
                    _ => {
                        let all = METHODS.iter().copied();
                        self.unknown("idl-unknown-function", "there is no function", &name.text, name.span, all);
                        return vec![Kind::Unknown];
                    }
                }
                vec![Kind::Bits(false)]
            }
            _ => {
                self.expr(e);
                vec![Kind::Unknown]
            }
        }
    }

    fn function_call(&mut self, name: &Ident, templates: &[Expr], args: &[Expr], span: Span) -> Vec<Kind> {
        let program = self.program;
        let Some(f) = program.functions.get(&name.text) else {
            for e in templates.iter().chain(args) {
                self.expr(e);
            }
            let all = program.functions.keys().map(String::as_str);
            self.unknown("idl-unknown-function", "there is no function", &name.text, name.span, all);
            return vec![Kind::Unknown];
        };
        for (given, wanted, what) in
            [(templates, &f.templates, "template arguments"), (args, &f.arguments, "arguments")]
        {
            if given.len() != wanted.len() {
                let message = format!("`{}` takes {} {what}, not {}", name.text, wanted.len(), given.len());
                self.error("idl-type", message, span, "");
            }
            for (n, e) in given.iter().enumerate() {
                let kind = self.expr(e);
                if let Some((ty, _)) = wanted.get(n) {
                    let wanted = self.signature(ty);
                    self.want(&kind, &wanted, e.span);
                }
            }
        }
        f.returns.iter().map(|ty| self.signature(ty)).collect()
    }

    /// The kind of a type in the head of a function, where template arguments are names.
    fn signature(&mut self, ty: &Type) -> Kind {
        if matches!(ty.kind, TypeKind::Bits(_)) { Kind::Bits(false) } else { self.kind_of(ty) }
    }

    fn builtin(&mut self, name: &Ident, args: &[Expr]) -> Kind {
        if !BUILTINS.contains(&name.text.as_str()) {
            let all = BUILTINS.iter().copied();
            self.unknown("idl-unknown-function", "there is no function", &format!("${}", name.text), name.span, all);
            return Kind::Unknown;
        }
        let wanted = if matches!(name.text.as_str(), "enum" | "array_includes?") { 2 } else { 1 };
        if args.len() != wanted {
            let message = format!("`${}` takes {wanted} arguments, not {}", name.text, args.len());
            self.error("idl-type", message, name.span, "");
            return Kind::Unknown;
        }
        // These take the name of a type first.
        let of_type = name.text.starts_with("enum");
        if of_type {
            let ExprKind::Name(of) = &args[0].kind else {
                self.error("idl-type", "this is not the name of an enum", args[0].span, "expected an enum");
                return Kind::Unknown;
            };
            let program = self.program;
            if !program.enums.contains_key(of) {
                let all = program.enums.keys().map(String::as_str);
                self.unknown("idl-unknown-name", "there is no enum", of, args[0].span, all);
                return Kind::Unknown;
            }
            for arg in &args[1..] {
                self.expr(arg);
            }
            return match name.text.as_str() {
                "enum" => Kind::Enum(of.clone()),
                "enum_to_a" => Kind::Array(Box::new(Kind::Bits(false))),
                _ => Kind::Bits(false),
            };
        }
        let kinds: Vec<Kind> = args.iter().map(|arg| self.expr(arg)).collect();
        match name.text.as_str() {
            "signed" => {
                self.want(&kinds[0], &Kind::Bits(false), args[0].span);
                Kind::Bits(true)
            }
            "array_includes?" => Kind::Truth,
            _ => Kind::Bits(false),
        }
    }
}
