//! Names of choices on the command line.

/// Implements `Display` and `FromStr` for a list of choices by its `name` and `ALL`; the error has
/// the name that none of them has.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($choice:ty, $unknown:ident) => {
        impl ::std::fmt::Display for $choice {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl ::std::str::FromStr for $choice {
            type Err = $unknown;

            fn from_str(name: &str) -> Result<Self, $unknown> {
                let named = Self::ALL.into_iter().find(|one| one.name() == name);
                named.ok_or_else(|| $unknown(name.to_owned()))
            }
        }
    };
}
