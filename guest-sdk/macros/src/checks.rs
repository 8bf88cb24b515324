//! Names as they stand in the code.

use syn::{Expr, ExprLit, Lit, LitStr};

/// The texts of a list that is written out. A name of a constant is not looked at.
pub fn texts(list: &Expr) -> Vec<LitStr> {
    let texts = elements(list).into_iter().flatten().filter_map(text);
    texts.cloned().collect()
}

/// The names of the actions in a list of `Action::new("NAME", …)`, and none where the list or one of the
/// names stands elsewhere.
pub fn actions(list: &Expr) -> Option<Vec<LitStr>> {
    elements(list)?.into_iter().map(action).collect()
}

/// `Action::new("NAME", …)`, also with what may follow it, as `.parallel()` does.
fn action(expression: &Expr) -> Option<LitStr> {
    match expression {
        Expr::MethodCall(call) => action(&call.receiver),
        Expr::Call(call) => call.args.first().and_then(text).cloned(),
        _ => None,
    }
}

fn text(expression: &Expr) -> Option<&LitStr> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        _ => None,
    }
}

/// Those of `&[…]`.
fn elements(list: &Expr) -> Option<Vec<&Expr>> {
    match list {
        Expr::Reference(list) => elements(&list.expr),
        Expr::Array(list) => Some(list.elems.iter().collect()),
        _ => None,
    }
}
