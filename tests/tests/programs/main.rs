//! Every example program is run natively and in the machine, and so are programs that use what no
//! example does.

/// Declares a program as a module and as its text.
macro_rules! program {
    ($name:ident { $($text:tt)* }) => {
        mod $name {
            pub const SOURCE: &str = stringify!($($text)*);
            $($text)*
        }
    };
}

mod checks;
mod commitments;
mod examples;
mod folds;
mod integers;
