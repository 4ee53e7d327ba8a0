//! What AIRs are over other fields of challenges than that for which they are asked.

use droste_native::field::{AnyChallenge, BaseField, ChallengeField};
use droste_vm::key::Message;
use p3_air::Air;
use p3_air::symbolic::{AirLayout, SymbolicExpression};
use p3_lookup::InteractionSymbolicBuilder;

use super::{AirError, Result};

/// Fails unless AIRs have the constraints over `E` that they have over the field for which programs
/// and keys ask them: over KoalaBear, the extension of degree 5.
pub(super) fn check_field<E, A>(airs: &[A]) -> Result<()>
where
    E: AnyChallenge,
    A: Air<InteractionSymbolicBuilder<E::Base, E::Asked>>
        + Air<InteractionSymbolicBuilder<E::Base, E>>,
{
    match E::FIELD {
        // They are asked over this one.
        ChallengeField::Quintic | ChallengeField::BabyBear => return Ok(()),
        ChallengeField::Quartic => {}
    }
    for (table, air) in airs.iter().enumerate() {
        let layout = AirLayout::from_air::<E::Base>(air);
        let asked = InteractionSymbolicBuilder::<E::Base, E::Asked>::from_air(air, layout);
        let own = InteractionSymbolicBuilder::<E::Base, E>::from_air(air, layout);
        // Arithmetic in the wrong extension may have made other constants of theirs before anybody
        // sees them.
        if !asked.extension_constraints().is_empty() || !own.extension_constraints().is_empty() {
            return Err(AirError::ExtensionConstraints { table });
        }
        if message(&asked.base_constraints()) != message(&own.base_constraints()) {
            return Err(AirError::OtherConstraints { table });
        }
    }
    Ok(())
}

/// The message of these constraints, which no others have.
fn message<K: BaseField>(constraints: &[SymbolicExpression<K>]) -> Message {
    let mut message = Message::default();
    message.constraints(constraints);
    message
}

#[cfg(test)]
mod tests {
    use droste_native::{EF, EF4, F};
    use p3_air::{BaseAir, ExtensionBuilder, WindowAccess};
    use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

    use super::*;

    /// An AIR with a constraint that may depend on the field of challenges.
    #[derive(Clone, Copy, Debug)]
    enum Sample {
        /// It does not.
        Base,
        /// It is over the extension.
        Extension,
        /// As many columns as the degree are bits.
        Degree,
        /// The first column times a constant that is zero in the extension of degree 5.
        Folded,
    }

    impl BaseAir<F> for Sample {
        fn width(&self) -> usize {
            5
        }
    }

    impl<AB: ExtensionBuilder<F = F>> Air<AB> for Sample {
        fn eval(&self, builder: &mut AB) {
            let main = builder.main();
            let columns = main.current_slice();
            let first: AB::Expr = columns[0].into();
            builder.assert_bool(first.clone());
            match self {
                Self::Base => {}
                Self::Extension => builder.assert_zero_ext(first),
                Self::Degree => {
                    let degree = <AB::EF as BasedVectorSpace<F>>::DIMENSION;
                    for &column in &columns[..degree] {
                        builder.assert_bool(column);
                    }
                }
                Self::Folded => {
                    let x = <AB::EF as BasedVectorSpace<F>>::from_basis_coefficients_fn(|i| {
                        F::from_bool(i == 1)
                    });
                    let constant = x.exp_u64(5) + x.square() - AB::EF::ONE;
                    let coefficients =
                        <AB::EF as BasedVectorSpace<F>>::as_basis_coefficients_slice(&constant);
                    builder.assert_zero(first * coefficients[1]);
                }
            }
        }
    }

    #[test]
    fn constraints_that_depend_on_the_field_are_refused() {
        for air in [
            Sample::Base,
            Sample::Extension,
            Sample::Degree,
            Sample::Folded,
        ] {
            check_field::<EF, _>(&[air]).unwrap();
            let found = check_field::<EF4, _>(&[Sample::Base, air]);
            let is_expected = match air {
                Sample::Base => found.is_ok(),
                Sample::Extension => {
                    matches!(found, Err(AirError::ExtensionConstraints { table: 1 }))
                }
                Sample::Degree | Sample::Folded => {
                    matches!(found, Err(AirError::OtherConstraints { table: 1 }))
                }
            };
            assert!(is_expected, "{air:?}: {found:?}");
        }
    }
}
