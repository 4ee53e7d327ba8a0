use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Light {
    Red,
    RedAmber,
    Green,
    Amber,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Tick,
    Pedestrian,
    Fault,
}

impl Light {
    fn next(self, event: Event) -> Result<Self, Light> {
        use Light::*;
        match (self, event) {
            (_, Event::Fault) => Err(self),
            (Red, Event::Tick) => Ok(RedAmber),
            (RedAmber, Event::Tick) => Ok(Green),
            (Green, Event::Tick) | (Green, Event::Pedestrian) => Ok(Amber),
            (Amber, Event::Tick) => Ok(Red),
            (other, Event::Pedestrian) => Ok(other),
        }
    }

    fn duration(&self) -> u32 {
        match self {
            Light::Red => 30,
            Light::RedAmber => 2,
            Light::Green => 25,
            Light::Amber => 4,
        }
    }
}

fn run(events: &[Event]) -> Result<u32, (usize, Light)> {
    let mut light = Light::Red;
    let mut total = 0;
    for (i, &event) in events.iter().enumerate() {
        total += light.duration();
        light = light.next(event).map_err(|at| (i, at))?;
    }
    Ok(total)
}

pub fn main() {
    let x = public_input();
    use Event::{Fault, Pedestrian, Tick};
    let ok = run(&[Tick, Tick, Pedestrian, Tick, Pedestrian, Tick]).unwrap();
    let fault = match run(&[Tick, Pedestrian, Fault]) {
        Err((i, Light::RedAmber)) => i + 100,
        Err((i, _)) => i,
        Ok(_) => unreachable!(),
    };
    reveal(x + felt(ok as usize));
    reveal(felt(fault));
}
