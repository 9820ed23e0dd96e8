//! Folding operators of two operands.

use crate::ctx::Ctx;
use crate::names::Sym;
use crate::ops::BinOp;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::{Val, ValueKind, dag_args, dag_op};

impl Store {
    /// Compares as numbers, else as strings, else (for equality) as records.
    pub(crate) fn compare(&mut self, op: BinOp, a: Val, b: Val) -> Option<bool> {
        let order = if let (Some(x), Some(y)) = (self.int_of(a), self.int_of(b)) {
            x.cmp(&y)
        } else if let (Some(x), Some(y)) = (self.vals.as_str(a), self.vals.as_str(b)) {
            if x == y { std::cmp::Ordering::Equal } else { self.names.get(x).cmp(self.names.get(y)) }
        } else {
            let same = self.as_def(a)? == self.as_def(b)?;
            return match op {
                BinOp::Eq => Some(same),
                BinOp::Ne => Some(!same),
                _ => None,
            };
        };
        Some(match op {
            BinOp::Eq => order.is_eq(),
            BinOp::Ne => order.is_ne(),
            BinOp::Le => order.is_le(),
            BinOp::Lt => order.is_lt(),
            BinOp::Ge => order.is_ge(),
            _ => order.is_gt(),
        })
    }

    // ---- Dags ----------------------------------------------------------------------------------------------------

    /// The argument that a number or a name stands for, or what is wrong with it.
    pub(crate) fn dag_arg_index(&self, dag: Val, key: Val) -> Option<Result<usize, String>> {
        let run = self.vals.as_dag(dag)?;
        let count = run.len() / 2 - 1;
        if let Some(i) = self.vals.as_int(key) {
            return Some(match usize::try_from(i) {
                Err(_) => Err(format!("index {i} is negative")),
                Ok(at) if at < count => Ok(at),
                Ok(_) => Err(format!("index {i} is out of range (dag has {count} arguments)")),
            });
        }
        let name = self.vals.as_str(key)?;
        let at = dag_args(run).position(|(_, n)| n == name);
        Some(at.ok_or_else(|| format!("key '{}' is not found", String::from_utf8_lossy(self.names.get(name)))))
    }

    /// The kind of a value, for the other files of the evaluator.
    pub(crate) fn is_kind(&self, v: Val, kind: ValueKind) -> bool {
        self.vals.kind(v) == kind
    }
}

impl Ctx {
    /// Folds an operation of two operands as far as it goes now.
    pub(crate) fn fold_bin(&mut self, v: Val, rec: Option<RecId>) -> Val {
        let node = self.store.vals.node(v);
        self.try_bin(BinOp::of(node.op), Val(node.a), Val(node.b), node.ty, rec).unwrap_or(v)
    }

    /// An operation of two operands, folded if it can be; then the operation itself never becomes a value.
    pub(crate) fn make_bin(&mut self, op: BinOp, a: Val, b: Val, ty: Ty, rec: Option<RecId>) -> Val {
        match self.try_bin(op, a, b, ty, rec) {
            Some(folded) => folded,
            None => self.store.bin(op, a, b, ty),
        }
    }

    fn try_bin(&mut self, op: BinOp, a: Val, b: Val, ty: Ty, rec: Option<RecId>) -> Option<Val> {
        match op {
            BinOp::Con => self.fold_con(a, b),
            BinOp::ListConcat => match (self.store.vals.as_list(a), self.store.vals.as_list(b)) {
                (Some(x), Some(y)) => {
                    let start = self.eval.scratch.len();
                    self.eval.scratch.extend_from_slice(x);
                    self.eval.scratch.extend_from_slice(y);
                    let ty = self.store.vals.ty(a);
                    Some(self.make_from_scratch(start, |ctx, all| ctx.list_of(ty, all)))
                }
                _ => None,
            },
            BinOp::ListSplat => self.fold_splat(a, b),
            BinOp::ListRemove => self.fold_remove(a, b),
            BinOp::ListElem => match (self.store.vals.as_list(a), self.store.vals.as_int(b)) {
                (Some(list), Some(i)) => usize::try_from(i).ok().and_then(|i| list.get(i)).map(|&p| Val(p)),
                _ => None,
            },
            BinOp::ListSlice => self.fold_slice(a, b),
            BinOp::RangeClosed => match (self.store.vals.as_int(a), self.store.vals.as_int(b)) {
                (Some(from), Some(to)) => Some(self.closed_range(from, to)),
                _ => None,
            },
            BinOp::StrConcat => match (self.store.vals.as_str(a), self.store.vals.as_str(b)) {
                (Some(x), Some(y)) => Some(self.concat(a, x, b, y)),
                _ => None,
            },
            BinOp::Interleave => self.fold_interleave(a, b),
            BinOp::Eq | BinOp::Ne | BinOp::Le | BinOp::Lt | BinOp::Ge | BinOp::Gt => {
                self.store.compare(op, a, b).map(Val::bit)
            }
            BinOp::GetDagArg => self.fold_get_dag_arg(a, b, ty, rec),
            BinOp::GetDagName => self.fold_get_dag_name(a, b, rec),
            BinOp::Match => self.fold_match(a, b, rec),
            BinOp::SetDagOpName => self.store.fold_set_dag_op_name(a, b),
            BinOp::SetDagOp => match (self.store.vals.as_dag(a), self.store.as_def(b)) {
                (Some(run), Some(_)) => {
                    let mut run = run.to_vec();
                    run[0] = b.0;
                    run[1] = Sym::NONE.0;
                    Some(self.store.dag(&run))
                }
                _ => None,
            },
            _ => match (self.store.int_of(a), self.store.int_of(b)) {
                (Some(x), Some(y)) => self.arithmetic(op, x, y, rec).map(|i| self.store.int(i)),
                _ => None,
            },
        }
    }

    fn arithmetic(&mut self, op: BinOp, x: i64, y: i64, rec: Option<RecId>) -> Option<i64> {
        Some(match op {
            BinOp::Add => x.wrapping_add(y),
            BinOp::Sub => x.wrapping_sub(y),
            BinOp::Mul => x.wrapping_mul(y),
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            // Amounts of 64 and more wrap around, as they do in llvm-tblgen on the usual hardware.
            BinOp::Shl => x.wrapping_shl(y as u32),
            BinOp::Sra => x.wrapping_shr(y as u32),
            BinOp::Srl => (x as u64).wrapping_shr(y as u32) as i64,
            BinOp::Div if y == 0 => {
                self.fatal_at(rec, "tblgen-arithmetic", b"Illegal operation: division by zero");
                return None;
            }
            BinOp::Div if x == i64::MIN && y == -1 => {
                self.fatal_at(rec, "tblgen-arithmetic", b"Illegal operation: INT64_MIN / -1");
                return None;
            }
            BinOp::Div => x / y,
            _ => return None,
        })
    }

    fn fold_con(&mut self, a: Val, b: Val) -> Option<Val> {
        let (x, y) = (self.store.vals.as_dag(a)?, self.store.vals.as_dag(b)?);
        let (op_a, op_b) = (dag_op(x), dag_op(y));
        let (def_a, def_b) = (self.store.as_def(op_a), self.store.as_def(op_b));
        if (def_a.is_none() && op_a != Val::UNSET) || (def_b.is_none() && op_b != Val::UNSET) {
            return None;
        }
        if def_a.is_some() && def_b.is_some() && def_a != def_b {
            let mut text = b"Concatenated Dag operators do not match: '".to_vec();
            self.store.write_val(a, &mut text);
            text.extend(b"' vs. '");
            self.store.write_val(b, &mut text);
            text.push(b'\'');
            self.fatal(crate::loc::Loc::NONE, "tblgen-dag", &text);
            return None;
        }
        let op = if def_a.is_some() { op_a } else { op_b };
        let mut run = vec![op.0, Sym::NONE.0];
        run.extend(&x[2..]);
        run.extend(&y[2..]);
        Some(self.store.dag(&run))
    }

    fn fold_splat(&mut self, a: Val, b: Val) -> Option<Val> {
        let count = self.store.vals.as_int(b)?;
        let element = self.store.vals.ty(a);
        if element == Ty::NONE {
            return None;
        }
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if count > self.max_list() {
            self.too_much("lists");
            return None;
        }
        Some(self.list(element, &vec![a.0; count]))
    }

    fn fold_remove(&mut self, a: Val, b: Val) -> Option<Val> {
        let (from, what) = (self.store.vals.as_list(a)?.to_vec(), self.store.vals.as_list(b)?.to_vec());
        let mut kept = Vec::new();
        for part in from {
            let mut found = false;
            for &other in &what {
                if !self.step() {
                    return None;
                }
                if self.store.compare(BinOp::Eq, Val(part), Val(other)) == Some(true) {
                    found = true;
                    break;
                }
            }
            if !found {
                kept.push(part);
            }
        }
        let element = self.store.element_ty(a);
        Some(self.list(element, &kept))
    }

    fn fold_slice(&mut self, a: Val, b: Val) -> Option<Val> {
        let (list, indices) = (self.store.vals.as_list(a)?, self.store.vals.as_list(b)?);
        let mut parts = Vec::with_capacity(indices.len());
        for &i in indices {
            let i = usize::try_from(self.store.vals.as_int(Val(i))?).ok()?;
            parts.push(*list.get(i)?);
        }
        let element = self.store.element_ty(a);
        Some(self.list(element, &parts))
    }

    pub(crate) fn closed_range(&mut self, from: i64, to: i64) -> Val {
        if from.abs_diff(to) >= self.max_list() as u64 {
            self.too_much("lists");
            return self.list(Ty::INT, &[]);
        }
        let numbers: Vec<u32> = if from <= to {
            (from..=to).map(|i| self.store.int(i).0).collect()
        } else {
            (to..=from).rev().map(|i| self.store.int(i).0).collect()
        };
        self.list(Ty::INT, &numbers)
    }

    /// Two strings joined; code if either is.
    #[inline(never)]
    fn concat(&mut self, a: Val, x: Sym, b: Val, y: Sym) -> Val {
        let code = self.store.vals.is_code(a) || self.store.vals.is_code(b);
        if self.store.names.get(x).len() + self.store.names.get(y).len() > self.max_string() {
            self.too_much("strings");
            return a;
        }
        let joined = self.store.names.intern_joined(x, y);
        self.store.code(joined, code)
    }

    fn fold_interleave(&mut self, a: Val, b: Val) -> Option<Val> {
        let parts = self.store.vals.as_list(a)?.to_vec();
        let between = self.store.vals.as_str(b)?;
        let strings = self.store.element_ty(a) == Ty::STRING;
        let mut text = Vec::new();
        let mut code = false;
        for (i, &part) in parts.iter().enumerate() {
            if i > 0 {
                text.extend(self.store.names.get(between));
            }
            if strings {
                text.extend(self.store.names.get(self.store.vals.as_str(Val(part))?));
                code |= i > 0 && self.store.vals.is_code(Val(part));
            } else {
                text.extend(self.store.int_of(Val(part))?.to_string().as_bytes());
            }
            if text.len() > self.max_string() {
                self.too_much("strings");
                return None;
            }
        }
        let sym = self.store.names.intern(&text);
        Some(self.store.code(sym, code))
    }

    fn fold_get_dag_arg(&mut self, a: Val, b: Val, ty: Ty, rec: Option<RecId>) -> Option<Val> {
        let at = match self.store.dag_arg_index(a, b)? {
            Ok(at) => at,
            Err(why) => {
                self.fatal_at(rec, "tblgen-dag", format!("!getdagarg {why}").as_bytes());
                return None;
            }
        };
        let arg = self.store.vals.part(a, 2 + 2 * at);
        let arg_ty = self.store.vals.ty(arg);
        if arg_ty != Ty::NONE && !self.store.convertible(arg_ty, ty) {
            return Some(Val::UNSET);
        }
        Some(arg)
    }

    fn fold_get_dag_name(&mut self, a: Val, b: Val, rec: Option<RecId>) -> Option<Val> {
        let run = self.store.vals.as_dag(a)?;
        let i = self.store.vals.as_int(b)?;
        let count = run.len() / 2 - 1;
        let Some(at) = usize::try_from(i).ok().filter(|&at| at < count) else {
            let text = format!("!getdagname index is out of range 0...{}: {i}", count as i64 - 1);
            self.fatal_at(rec, "tblgen-dag", text.as_bytes());
            return None;
        };
        let name = Sym(run[3 + 2 * at]);
        Some(if name == Sym::NONE { Val::UNSET } else { self.store.string(name) })
    }
}
