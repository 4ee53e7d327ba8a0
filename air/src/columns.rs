//! Column structs: typed views of a row of a trace, with one field per column or group of columns.
//!
//! A struct declared by [`columns!`](crate::columns!) with cell type `T` consists of consecutive
//! `T`s, so a row `[T]` of the right width can be read as the struct without copying. The struct
//! also has the names of its columns, which the mutation harness reports.

use std::mem::{align_of, size_of};

/// Types that have column names: a column struct, an array of them, or a single column.
pub trait Named {
    /// Appends one name per column, each starting with `path`.
    fn push_names(path: &str, names: &mut Vec<String>);
}

/// A single column. `u8` is the cell type where a column struct is only counted or named.
impl Named for u8 {
    fn push_names(path: &str, names: &mut Vec<String>) {
        names.push(path.to_owned());
    }
}

impl<C: Named, const N: usize> Named for [C; N] {
    fn push_names(path: &str, names: &mut Vec<String>) {
        for index in 0..N {
            C::push_names(&format!("{path}[{index}]"), names);
        }
    }
}

/// The column names of `C`, a column struct with cells of type `u8`, in column order.
pub fn column_names<C: Named>() -> Vec<String> {
    let mut names = Vec::new();
    C::push_names("", &mut names);
    names
}

/// Joins a path and a field name with a dot.
pub fn join(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
}

/// Whether `C` is laid out as `width` cells of type `T`.
pub const fn is_row<C, T>(width: usize) -> bool {
    size_of::<C>() == width * size_of::<T>() && align_of::<C>() == align_of::<T>()
}

/// Declares a `#[repr(C)]` column struct generic in its cell type `T`.
///
/// Every field must be `T`, an array of fields, or another column struct of `T`. The struct gets
/// `WIDTH`, `names()`, and [`Borrow`](std::borrow::Borrow) and
/// [`BorrowMut`](std::borrow::BorrowMut) from a slice of cells. These panic unless the slice has
/// exactly `WIDTH` cells: the width of a table is fixed by its code, never by its input.
///
/// ```
/// use std::borrow::Borrow;
///
/// droste_air::columns! {
///     /// A product.
///     pub struct Product<T> {
///         /// The factors.
///         pub factors: [T; 2],
///         /// Their product.
///         pub product: T,
///     }
/// }
///
/// assert_eq!(Product::<u8>::WIDTH, 3);
/// assert_eq!(Product::<u8>::names(), ["factors[0]", "factors[1]", "product"]);
/// let row = [3u32, 5, 15];
/// let row: &Product<u32> = row.as_slice().borrow();
/// assert_eq!(row.factors[0] * row.factors[1], row.product);
/// ```
#[macro_export]
macro_rules! columns {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident<T> {
            $( $(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        $visibility struct $name<T> {
            $( $(#[$field_meta])* $field_visibility $field: $type, )*
        }

        impl<T> $name<T> {
            /// Number of columns.
            pub const WIDTH: usize = ::std::mem::size_of::<$name<u8>>();

            /// Name of each column, in order.
            pub fn names() -> Vec<String> {
                $crate::columns::column_names::<$name<u8>>()
            }
        }

        const _: () = {
            type T = u8;

            impl $crate::columns::Named for $name<u8> {
                fn push_names(path: &str, names: &mut Vec<String>) {
                    $(
                        <$type as $crate::columns::Named>::push_names(
                            &$crate::columns::join(path, stringify!($field)),
                            names,
                        );
                    )*
                }
            }
        };

        impl<T> ::std::borrow::Borrow<$name<T>> for [T] {
            #[inline]
            fn borrow(&self) -> &$name<T> {
                const { assert!($crate::columns::is_row::<$name<T>, T>($name::<T>::WIDTH)) };
                assert_eq!(self.len(), $name::<T>::WIDTH, "row width");
                // SAFETY: the length is checked above. `is_row` ensures that the struct, which is
                // `repr(C)`, has exactly the size and alignment of that many cells, so it consists
                // of cells alone, and any initialised cells are a valid value of it.
                unsafe { &*self.as_ptr().cast() }
            }
        }

        impl<T> ::std::borrow::BorrowMut<$name<T>> for [T] {
            #[inline]
            fn borrow_mut(&mut self) -> &mut $name<T> {
                const { assert!($crate::columns::is_row::<$name<T>, T>($name::<T>::WIDTH)) };
                assert_eq!(self.len(), $name::<T>::WIDTH, "row width");
                // SAFETY: as for `borrow`, and the borrow is exclusive.
                unsafe { &mut *self.as_mut_ptr().cast() }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use std::borrow::{Borrow, BorrowMut};

    crate::columns! {
        struct Inner<T> {
            pair: [T; 2],
        }
    }

    crate::columns! {
        struct Outer<T> {
            first: T,
            inner: [Inner<T>; 3],
        }
    }

    #[test]
    fn names_follow_the_layout() {
        let names = Outer::<u8>::names();
        assert_eq!(names.len(), Outer::<u8>::WIDTH);
        assert_eq!(Inner::<u8>::names(), ["pair[0]", "pair[1]"]);
        assert_eq!(names[0], "first");
        assert_eq!(names[4], "inner[1].pair[1]");
    }

    #[test]
    fn cells_are_where_the_names_say() {
        let mut row: Vec<u32> = (0..7).collect();
        let columns: &Outer<u32> = row.as_slice().borrow();
        assert_eq!(columns.first, 0);
        assert_eq!(columns.inner[1].pair[1], 4);
        let columns: &mut Outer<u32> = row.as_mut_slice().borrow_mut();
        columns.inner[2].pair[0] = 9;
        assert_eq!(row, [0, 1, 2, 3, 4, 9, 6]);
    }

    #[test]
    #[should_panic(expected = "row width")]
    fn a_row_of_another_width_is_refused() {
        let row = [0u32; 6];
        let _: &Outer<u32> = row.as_slice().borrow();
    }
}
