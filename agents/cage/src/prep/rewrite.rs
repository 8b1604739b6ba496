//! What the engine does otherwise than CPython, written so that it does the same.
//!
//! The engine's native builtins cannot wait for the host inside their callbacks, its generator expressions
//! are lists, and some syntax and some modules are missing. Every change keeps the script's lines.

use std::collections::HashSet;

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    Expr, ExprAttribute, ExprCall, ExprContext, ExprGenerator, ExprSubscript, Operator, Stmt, StmtAssign,
    StmtImport, StmtImportFrom,
};
use ruff_text_size::{Ranged, TextLen as _, TextRange, TextSize};

use super::edit::Edits;
use super::known;
use super::names::BoundNames;
use super::text::ScriptText;
use crate::engine::Surface;

/// Builtin classes that are subscripted in aliases of types only.
const GENERIC: &[&str] = &["list", "dict", "tuple", "set", "frozenset", "type"];

/// Builtin classes whose methods are kept unbound: `key=str.lower`.
const TYPES: &[&str] = &["str", "list", "dict", "set", "tuple", "int", "float", "bytes", "frozenset"];

pub fn rewrite(text: &ScriptText<'_>, names: &BoundNames, surface: &Surface) -> Option<String> {
    let mut rewriter = Rewriter {
        text,
        names,
        surface,
        edits: Edits::default(),
        done: HashSet::new(),
        called: HashSet::new(),
    };
    text.parsed.suite().iter().for_each(|stmt| rewriter.visit_stmt(stmt));
    rewriter.edits.apply(text.source)
}

struct Rewriter<'a> {
    text: &'a ScriptText<'a>,
    names: &'a BoundNames,
    surface: &'a Surface,
    edits: Edits,
    /// Starts of names and generators that have been dealt with from outside.
    done: HashSet<TextSize>,
    called: HashSet<TextRange>,
}

impl<'a> Rewriter<'a> {
    /// The builtin that an expression names, where the script does not bind that name.
    fn builtin(&self, expr: &'a Expr) -> Option<(&'a str, TextRange)> {
        match expr {
            Expr::Name(name) if !self.names.has(&name.id) => Some((name.id.as_str(), name.range)),
            _ => None,
        }
    }

    fn call(&mut self, call: &'a ExprCall) {
        if let Expr::Attribute(attribute) = &*call.func
            && attribute.attr.as_str() == "sort"
            && call.arguments.keywords.iter().any(|k| k.arg.as_ref().is_none_or(|n| n.as_str() == "key"))
        {
            let attr = attribute.attr.range;
            if let Some(dot) = self.text.last(TokenKind::Dot, attribute.value.end(), attr.start())
                && let Some(paren) = self.text.first(TokenKind::Lpar, attr.end(), call.end())
            {
                self.edits.open(call.start(), "_w_sort(");
                self.edits.replace(TextRange::new(dot.start(), paren.end()), ", ");
            }
            return;
        }
        let Some((name, range)) = self.builtin(&call.func) else { return };
        if self.done.contains(&range.start()) {
            return;
        }
        let args = &call.arguments.args;
        let keyed =
            call.arguments.keywords.iter().any(|k| k.arg.as_ref().is_none_or(|n| n.as_str() == "key"));
        match (name, args.first()) {
            ("any" | "all" | "next", Some(Expr::Generator(generator))) if lazy(generator) => {
                self.edits.replace(range, format!("_w_{name}"));
                self.lazily(generator);
            }
            ("any" | "all" | "next", Some(Expr::Call(inner))) => {
                let inner_name = self.builtin(&inner.func);
                if let Some((kind @ ("map" | "filter"), at)) = inner_name
                    && let [_, source] = &*inner.arguments.args
                    && inner.arguments.keywords.is_empty()
                {
                    self.edits.replace(range, format!("_w_{name}_{kind}"));
                    self.edits.replace(at, "*");
                    self.done.insert(at.start());
                    self.source(source);
                }
            }
            ("sorted" | "min" | "max", _) if keyed => self.edits.replace(range, format!("_w_{name}")),
            ("map" | "filter", Some(_)) => {
                self.edits.replace(range, format!("_w_{name}"));
                if let [_, source] = &**args {
                    self.source(source);
                }
            }
            _ => {}
        }
    }

    /// A `map` or `filter` whose items are taken one after the other by the prelude.
    fn source(&mut self, expr: &'a Expr) {
        if let Expr::Call(call) = expr
            && let Some((kind @ ("map" | "filter"), at)) = self.builtin(&call.func)
            && let [_, source] = &*call.arguments.args
            && call.arguments.keywords.is_empty()
            && !source.is_starred_expr()
        {
            self.edits.replace(at, format!("_w_lazy_{kind}"));
            self.done.insert(at.start());
            self.source(source);
        }
    }

    /// `any(E for T in I if C)` becomes `_w_any(lambda T: (E), (I), lambda T: (C))`, which stops early.
    fn lazily(&mut self, generator: &'a ExprGenerator) {
        let [clause] = generator.generators.as_slice() else { return };
        self.done.insert(generator.start());
        let mut range = generator.range;
        if generator.parenthesized {
            let one = "(".text_len();
            self.edits.replace(TextRange::at(range.start(), one), "");
            self.edits.replace(TextRange::at(range.end() - one, one), "");
            range = TextRange::new(range.start() + one, range.end() - one);
        }
        let (open, close) = match &clause.target {
            Expr::Name(name) => (format!("lambda {}: (", name.id), ")"),
            target => {
                let names = items(target).map(|e| self.text.slice(e.range())).collect::<Vec<_>>().join(", ");
                (format!("lambda _w_t: (lambda {names}: ("), "))(*_w_t)")
            }
        };
        let word_for = self.text.first(TokenKind::For, generator.elt.end(), clause.target.start());
        let word_in = self.text.first(TokenKind::In, clause.target.end(), clause.iter.start());
        let (Some(word_for), Some(word_in)) = (word_for, word_in) else { return };
        self.edits.open(range.start(), open.clone());
        self.edits.replace(TextRange::new(word_for.start(), word_in.end()), format!("{close}, ("));
        let mut before = clause.iter.end();
        for (i, condition) in clause.ifs.iter().enumerate() {
            if let Some(word) = self.text.last(TokenKind::If, before, condition.start()) {
                let text = if i == 0 { format!("), {open}(") } else { ") and (".to_owned() };
                self.edits.replace(word, text);
            }
            before = condition.end();
        }
        self.source(&clause.iter);
        let end = if clause.ifs.is_empty() { "), None".to_owned() } else { format!("){close}") };
        self.edits.close(range.end(), end);
    }

    fn generator(&mut self, generator: &ExprGenerator) {
        if self.done.contains(&generator.start()) {
            return;
        }
        let range = generator.range;
        if generator.parenthesized {
            let one = "(".text_len();
            self.edits.replace(TextRange::at(range.start(), one), "_w_iter([");
            self.edits.replace(TextRange::at(range.end() - one, one), "])");
        } else {
            self.edits.open(range.start(), "_w_iter([");
            self.edits.close(range.end(), "])");
        }
    }

    fn brackets(&self, subscript: &ExprSubscript) -> Option<(TextRange, TextRange)> {
        let open = self.text.first(TokenKind::Lsqb, subscript.value.end(), subscript.end())?;
        let one = "]".text_len();
        Some((open, TextRange::at(subscript.end() - one, one)))
    }

    /// `a[lo:hi]` or `a[i]` becomes `a, lo, hi` or `a, i`.
    fn spread(&mut self, subscript: &ExprSubscript, end: &str) -> Option<()> {
        let (open, close) = self.brackets(subscript)?;
        self.edits.replace(open, ", ");
        self.edits.replace(close, end);
        if let Expr::Slice(slice) = &*subscript.slice {
            let from = slice.lower.as_ref().map_or(open.end(), |e| e.end());
            let to = slice.upper.as_ref().map_or(close.start(), |e| e.start());
            let colon = self.text.first(TokenKind::Colon, from, to)?;
            let lower = if slice.lower.is_some() { "" } else { "None" };
            let upper = if slice.upper.is_some() { "" } else { "None" };
            self.edits.replace(colon, format!("{lower}, {upper}"));
            let after = slice.upper.as_ref().map_or(colon.end(), |e| e.end());
            if let Some(second) = self.text.first(TokenKind::Colon, after, close.start()) {
                self.edits.replace(second, "");
            }
        }
        Some(())
    }

    fn import(&mut self, import: &StmtImport) {
        let kept = |module: &str| known::MODULES.iter().any(|(m, _)| *m == module);
        if import.names.iter().all(|alias| kept(&alias.name)) {
            return;
        }
        let names: Vec<&str> =
            import.names.iter().filter(|a| kept(&a.name)).map(|a| self.text.slice(a.range)).collect();
        let text = if names.is_empty() { "pass".to_owned() } else { format!("import {}", names.join(", ")) };
        self.edits.replace(import.range, text);
    }

    fn import_from(&mut self, import: &StmtImportFrom) {
        let module = import.module.as_ref().map_or("", |m| m.as_str());
        if module == "__future__" {
            self.edits.replace(import.range, "pass");
            return;
        }
        let mut parts = Vec::new();
        let mut changed = false;
        for alias in &import.names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            if let Some(own) = known::stand_in(module, &alias.name) {
                changed = true;
                parts.push(format!("{name} = {own}"));
            } else {
                parts.push(format!("from {module} import {}", self.text.slice(alias.range)));
            }
        }
        if changed {
            self.edits.replace(import.range, parts.join("; "));
        }
    }

    /// `a[i], b = v` becomes `_w_t0, _w_t1 = v; a[i] = _w_t0; b = _w_t1`: the engine unpacks into names
    /// only. False where it is left as it is.
    fn unpack(&mut self, assign: &StmtAssign) -> bool {
        let [target @ (Expr::Tuple(_) | Expr::List(_))] = assign.targets.as_slice() else { return false };
        let mut leaves = Vec::new();
        if !flatten(target, &mut leaves) || leaves.iter().all(|leaf| leaf.is_name_expr()) {
            return false;
        }
        if self.text.slice(target.range()).contains('\n') {
            return false;
        }
        let mut after = String::new();
        for (i, leaf) in leaves.iter().enumerate() {
            self.edits.replace(leaf.range(), format!("_w_t{i}"));
            after.push_str(&format!("; {} = _w_t{i}", self.text.slice(leaf.range())));
        }
        self.edits.close(assign.end(), after);
        true
    }

    /// A method of the engine's own values that is kept instead of called: `key=d.get`. It takes no named
    /// arguments then: with `**`, even of nothing, the engine miscounts the arguments of its own methods.
    fn kept_method(&mut self, attribute: &ExprAttribute) {
        let name = attribute.attr.as_str();
        let method = known::ATTRIBUTES.contains(name) && !known::NO_METHODS.contains(name);
        let ours = self
            .surface
            .classes
            .iter()
            .any(|c| [&c.methods, &c.fields, &c.live].into_iter().flatten().any(|n| n == name));
        let of_module =
            matches!(&*attribute.value, Expr::Name(n) if self.names.modules.contains_key(n.id.as_str()));
        if !method || ours || of_module || self.names.attributes.contains(name) {
            return;
        }
        let attr = attribute.attr.range;
        let Some(dot) = self.text.last(TokenKind::Dot, attribute.value.end(), attr.start()) else { return };
        let of_type = matches!(&*attribute.value, Expr::Name(n)
            if TYPES.contains(&n.id.as_str()) && !self.names.has(&n.id));
        if of_type {
            self.edits.replace(attribute.range, format!("(lambda _w_o, *_w_a: _w_o.{name}(*_w_a))"));
            return;
        }
        let bind = format!("(lambda _w_o: (lambda *_w_a: _w_o.{name}(*_w_a)))(");
        self.edits.open(attribute.start(), bind);
        self.edits.replace(TextRange::new(dot.start(), attr.end()), ")");
    }

    fn is_type(&self, value: &Expr) -> bool {
        match value {
            Expr::Name(name) => {
                let generic = GENERIC.contains(&name.id.as_str()) && !self.names.has(&name.id);
                let imported = self.names.imported.get(name.id.as_str());
                generic || imported.is_some_and(|(module, _)| known::MEANINGLESS.contains(&module.as_str()))
            }
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(name) => self
                    .names
                    .modules
                    .get(name.id.as_str())
                    .is_some_and(|m| known::MEANINGLESS.contains(&m.as_str())),
                _ => false,
            },
            _ => false,
        }
    }
}

impl<'a> Visitor<'a> for Rewriter<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::ClassDef(def) => {
                if let Some(arguments) = &def.arguments {
                    self.edits.replace(arguments.range, "");
                    // A base that is left out is not looked at again.
                    def.decorator_list.iter().for_each(|d| self.visit_decorator(d));
                    self.visit_body(&def.body);
                    return;
                }
            }
            Stmt::Delete(def) => {
                if let [Expr::Subscript(target)] = def.targets.as_slice() {
                    let name = if target.slice.is_slice_expr() { "_w_del_slice(" } else { "_w_del(" };
                    self.edits.replace(TextRange::at(def.start(), "del".text_len()), name);
                    let _ = self.spread(target, ")");
                }
            }
            Stmt::Assign(assign) => {
                if self.unpack(assign) {
                    // The targets were moved as they are.
                    self.visit_expr(&assign.value);
                    return;
                }
                if let [Expr::Subscript(target)] = assign.targets.as_slice()
                    && target.slice.is_slice_expr()
                    && let Some(equal) = self.text.first(TokenKind::Equal, target.end(), assign.value.start())
                {
                    self.edits.open(assign.start(), "_w_set_slice(");
                    let _ = self.spread(target, "");
                    self.edits.replace(equal, ", (");
                    self.edits.close(assign.end(), "))");
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Call(call) => {
                self.called.insert(call.func.range());
                self.call(call);
            }
            Expr::Generator(generator) => self.generator(generator),
            Expr::Name(name) if name.ctx == ExprContext::Load && !self.names.has(&name.id) => {
                if let Some((_, own)) = known::ADDED.iter().find(|(n, _)| *n == name.id.as_str()) {
                    self.edits.replace(name.range, *own);
                }
            }
            Expr::Attribute(attribute) => {
                if let Expr::Name(value) = &*attribute.value
                    && let Some(module) = self.names.modules.get(value.id.as_str())
                    && let Some(own) = known::stand_in(module, &attribute.attr)
                {
                    self.edits.replace(attribute.range, own);
                    return;
                }
                if attribute.ctx == ExprContext::Load && !self.called.contains(&attribute.range) {
                    self.kept_method(attribute);
                    if matches!(&*attribute.value, Expr::Name(_)) {
                        return;
                    }
                }
            }
            Expr::Subscript(subscript)
                if subscript.ctx == ExprContext::Load && self.is_type(&subscript.value) =>
            {
                if let Some((open, close)) = self.brackets(subscript) {
                    self.edits.replace(TextRange::new(subscript.value.start(), open.end()), "(");
                    self.edits.replace(close, ")");
                    self.visit_expr(&subscript.slice);
                    return;
                }
            }
            Expr::BinOp(op)
                if op.op == Operator::Mod
                    && matches!(&*op.left, Expr::StringLiteral(_) | Expr::FString(_)) =>
            {
                if let Some(sign) = self.text.first(TokenKind::Percent, op.left.end(), op.right.start()) {
                    self.edits.open(op.start(), "_w_percent(");
                    self.edits.replace(sign, ",");
                    self.edits.close(op.end(), ")");
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    // The engine does not evaluate them.
    fn visit_annotation(&mut self, _annotation: &'a Expr) {}
}

fn items(target: &Expr) -> impl Iterator<Item = &Expr> {
    match target {
        Expr::Tuple(tuple) => tuple.elts.iter(),
        Expr::List(list) => list.elts.iter(),
        _ => [].iter(),
    }
}

/// The leaves of a pattern in their order; false where one is starred.
fn flatten<'e>(target: &'e Expr, leaves: &mut Vec<&'e Expr>) -> bool {
    match target {
        Expr::Tuple(_) | Expr::List(_) => items(target).all(|item| flatten(item, leaves)),
        Expr::Starred(_) => false,
        leaf => {
            leaves.push(leaf);
            true
        }
    }
}

fn lazy(generator: &ExprGenerator) -> bool {
    let [clause] = generator.generators.as_slice() else { return false };
    let target = match &clause.target {
        Expr::Name(_) => true,
        target => items(target).count() > 0 && items(target).all(Expr::is_name_expr),
    };
    target && !clause.is_async && !binds(generator)
}

pub(crate) fn binds(generator: &ExprGenerator) -> bool {
    let mut search = Walrus(false);
    search.visit_expr(&generator.elt);
    generator.generators.iter().flat_map(|clause| &clause.ifs).for_each(|e| search.visit_expr(e));
    search.0
}

struct Walrus(bool);

impl<'a> Visitor<'a> for Walrus {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.0 |= expr.is_named_expr();
        walk_expr(self, expr);
    }
}
