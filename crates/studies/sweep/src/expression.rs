//! Small expressions over the values of a case: `ranks > 64 and net == 'gige'`, `machine.price * ranks`.
//!
//! ```text
//! or < and < not < comparison < + - < * / % < ^ < sign, parentheses, min() max() log2() sqrt()
//! ```
//!
//! A value is a number or a text. A text that reads as a number is one. True is 1, false is 0.

use std::collections::BTreeSet;

use thiserror::Error;

/// A value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Value {
    /// A number if the text is one.
    pub fn of(text: &str) -> Value {
        text.trim().parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Number)
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }

    /// Neither zero nor empty.
    pub fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
        }
    }
}

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Constant(Value),
    Name(String),
    Not(Box<Node>),
    Negative(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

use Operator::*;

/// Operators by how strongly they bind, the weakest first. Longer ones come before their beginnings.
const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("or", Or)],
    &[("and", And)],
    &[("==", Equal), ("!=", Unequal), ("<=", AtMost), (">=", AtLeast), ("<", Less), (">", Greater)],
    &[("+", Plus), ("-", Minus)],
    &[("*", Times), ("/", Over), ("%", Modulo)],
    &[("^", Power)],
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Least,
    Most,
    Log2,
    Root,
}

const FUNCTIONS: [(&str, Function); 4] =
    [("min", Function::Least), ("max", Function::Most), ("log2", Function::Log2), ("sqrt", Function::Root)];

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} at `{rest}`")]
pub struct ExpressionError {
    message: &'static str,
    /// The text from the mistake on.
    rest: String,
}

impl Expression {
    /// Reads an expression.
    pub fn new(text: &str) -> Result<Expression, ExpressionError> {
        let mut parser = Parser { rest: text.trim_start(), depth: 0 };
        let node = parser.binary(0)?;
        match parser.rest {
            "" => Ok(Expression(node)),
            _ => Err(parser.error("an operator is missing")),
        }
    }

    /// The names in it.
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        self.0.add_names(&mut names);
        names
    }

    /// Its value; none if a name has none, or if texts are computed with.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
        self.0.value(of)
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
}

/// Parentheses inside each other.
const DEEPEST: u32 = 64;

impl Parser<'_> {
    fn error(&self, message: &'static str) -> ExpressionError {
        let rest = if self.rest.is_empty() { "the end" } else { self.rest };
        ExpressionError { message, rest: rest.to_owned() }
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    fn operator(&mut self, level: usize) -> Option<Operator> {
        let (text, operator) = LEVELS[level].iter().find(|(text, _)| self.begins_with(text))?;
        self.advance(text.len());
        Some(*operator)
    }

    /// Words end where a name would end.
    fn begins_with(&self, text: &str) -> bool {
        let Some(after) = self.rest.strip_prefix(text) else { return false };
        !text.ends_with(char::is_alphabetic) || !after.starts_with(is_name_part)
    }

    fn binary(&mut self, level: usize) -> Result<Node, ExpressionError> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.binary(level + 1)?;
            left = Node::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("this is nested too deeply"));
        }
        let node = if self.begins_with("not") {
            self.advance(3);
            // `not a == b` negates the comparison.
            Node::Not(Box::new(self.binary(2)?))
        } else if self.begins_with("-") {
            self.advance(1);
            Node::Negative(Box::new(self.unary()?))
        } else {
            self.atom()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn atom(&mut self) -> Result<Node, ExpressionError> {
        match self.rest.chars().next() {
            Some('(') => {
                self.advance(1);
                let inner = self.binary(0)?;
                self.close().map(|()| inner)
            }
            Some(quote @ ('\'' | '"')) => self.text(quote),
            Some(digit) if digit.is_ascii_digit() || digit == '.' => self.number(),
            Some(letter) if letter.is_ascii_alphabetic() => self.name(),
            _ => Err(self.error("a value is missing")),
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if !self.rest.starts_with(')') {
            return Err(self.error("a closing parenthesis is missing"));
        }
        self.advance(1);
        Ok(())
    }

    fn text(&mut self, quote: char) -> Result<Node, ExpressionError> {
        let inner = &self.rest[1..];
        let end = inner.find(quote).ok_or_else(|| self.error("a closing quote is missing"))?;
        let text = inner[..end].to_owned();
        self.advance(end + 2);
        Ok(Node::Constant(Value::Text(text)))
    }

    fn number(&mut self) -> Result<Node, ExpressionError> {
        let is_exponent = |at: usize| at > 0 && matches!(self.rest.as_bytes()[at - 1], b'e' | b'E');
        let belongs = |(at, letter): (usize, char)| {
            letter.is_ascii_digit() || matches!(letter, '.' | 'e' | 'E') || letter == '-' && is_exponent(at)
        };
        let end = self.rest.char_indices().find(|&at| !belongs(at)).map_or(self.rest.len(), |(end, _)| end);
        let number = self.rest[..end].parse().map_err(|_| self.error("this is no number"))?;
        self.advance(end);
        Ok(Node::Constant(Value::Number(number)))
    }

    fn name(&mut self) -> Result<Node, ExpressionError> {
        let end = self.rest.find(|letter| !is_name_part(letter)).unwrap_or(self.rest.len());
        let name = self.rest[..end].to_owned();
        let function = FUNCTIONS.iter().find(|(known, _)| *known == name);
        match function.filter(|_| self.rest[end..].trim_start().starts_with('(')) {
            Some((_, function)) => {
                self.advance(end);
                self.call(*function)
            }
            None => {
                self.advance(end);
                Ok(Node::Name(name))
            }
        }
    }

    fn call(&mut self, function: Function) -> Result<Node, ExpressionError> {
        self.advance(1);
        let mut arguments = vec![self.binary(0)?];
        while self.rest.starts_with(',') {
            self.advance(1);
            arguments.push(self.binary(0)?);
        }
        self.close()?;
        Ok(Node::Call(function, arguments))
    }
}

fn is_name_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '.'
}

impl Node {
    fn add_names<'a>(&'a self, names: &mut BTreeSet<&'a str>) {
        match self {
            Node::Constant(_) => {}
            Node::Name(name) => {
                names.insert(name);
            }
            Node::Not(inner) | Node::Negative(inner) => inner.add_names(names),
            Node::Binary(_, left, right) => [left, right].iter().for_each(|node| node.add_names(names)),
            Node::Call(_, arguments) => arguments.iter().for_each(|node| node.add_names(names)),
        }
    }

    fn value(&self, of: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
        match self {
            Node::Constant(value) => Some(value.clone()),
            Node::Name(name) => of(name),
            Node::Not(inner) => Some(truth(!inner.value(of)?.is_true())),
            Node::Negative(inner) => Some(Value::Number(-inner.value(of)?.number()?)),
            Node::Binary(Or, left, right) => {
                Some(truth(left.value(of)?.is_true() || right.value(of)?.is_true()))
            }
            Node::Binary(And, left, right) => {
                Some(truth(left.value(of)?.is_true() && right.value(of)?.is_true()))
            }
            Node::Binary(operator, left, right) => binary(*operator, &left.value(of)?, &right.value(of)?),
            Node::Call(function, arguments) => {
                let numbers: Option<Vec<f64>> =
                    arguments.iter().map(|argument| argument.value(of)?.number()).collect();
                call(*function, &numbers?)
            }
        }
    }
}

fn truth(holds: bool) -> Value {
    Value::Number(f64::from(u8::from(holds)))
}

fn binary(operator: Operator, left: &Value, right: &Value) -> Option<Value> {
    match operator {
        Equal => return Some(truth(left == right)),
        Unequal => return Some(truth(left != right)),
        _ => {}
    }
    let (left, right) = (left.number()?, right.number()?);
    Some(match operator {
        Less => truth(left < right),
        AtMost => truth(left <= right),
        Greater => truth(left > right),
        AtLeast => truth(left >= right),
        Plus => Value::Number(left + right),
        Minus => Value::Number(left - right),
        Times => Value::Number(left * right),
        Over => Value::Number(left / right),
        Modulo => Value::Number(left.rem_euclid(right)),
        Power => Value::Number(left.powf(right)),
        Or | And | Equal | Unequal => unreachable!("handled before"),
    })
}

fn call(function: Function, numbers: &[f64]) -> Option<Value> {
    let value = match function {
        Function::Least => numbers.iter().copied().reduce(f64::min)?,
        Function::Most => numbers.iter().copied().reduce(f64::max)?,
        Function::Log2 => numbers.first()?.log2(),
        Function::Root => numbers.first()?.sqrt(),
    };
    Some(Value::Number(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str) -> Option<Value> {
        let of = |name: &str| match name {
            "ranks" => Some(Value::of("64")),
            "net" => Some(Value::of("gige")),
            "net.price" => Some(Value::of("2.5")),
            _ => None,
        };
        Expression::new(text).unwrap().value(&of)
    }

    #[test]
    fn operators_bind_as_usual() {
        for (text, number) in [
            ("1 + 2 * 3 ^ 2", 19.0),
            ("(1 + 2) * 3 - 4 / 2", 7.0),
            ("-2 ^ 2 + 1e-1 * 10", 5.0),
            ("ranks * net.price", 160.0),
            ("max(1, ranks, 3) % 10", 4.0),
            ("log2(ranks) + sqrt(16) + min(1,2)", 11.0),
            ("ranks > 32 and net == 'gige'", 1.0),
            ("not ranks > 32 or net != \"gige\"", 0.0),
            ("ranks >= 64 and not (net == 'x')", 1.0),
        ] {
            assert_eq!(eval(text), Some(Value::Number(number)), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_has_none() {
        assert_eq!(eval("nothing > 1"), None);
        assert_eq!(eval("net > 1"), None);
        assert_eq!(eval("net == 1"), Some(Value::Number(0.0)));
        assert_eq!(
            Expression::new("a and order + b.c").unwrap().names(),
            BTreeSet::from(["a", "order", "b.c"])
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (text, said) in [
            ("1 +", "a value is missing at `the end`"),
            ("(1", "a closing parenthesis is missing"),
            ("a b", "an operator is missing at `b`"),
            ("'x", "a closing quote is missing"),
            ("1.2.3", "this is no number"),
            ("a = 1", "an operator is missing at `= 1`"),
        ] {
            assert!(Expression::new(text).unwrap_err().to_string().contains(said), "{text}");
        }
        assert!(Expression::new(&"(".repeat(1000)).is_err());
    }
}
