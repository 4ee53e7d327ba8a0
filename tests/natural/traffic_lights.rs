use droste_gadgets::prelude::*;

/// Traffic-light controller as an explicit state machine driven by events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Red { waiting: u8 },
    Green { remaining: u8 },
    Yellow,
    Fault(FaultCode),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultCode {
    Sensor = 3,
    Power = 8,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Tick,
    Car,
    Break(FaultCode),
    Reset,
}

impl State {
    const GREEN_TIME: u8 = 2;

    fn next(self, event: Event) -> State {
        match (self, event) {
            (State::Fault(_), Event::Reset) => State::default(),
            (s @ State::Fault(_), _) => s,
            (_, Event::Break(code)) => State::Fault(code),
            (State::Red { waiting }, Event::Car) => State::Red {
                waiting: waiting.saturating_add(1),
            },
            (State::Red { waiting: w @ 1..=9 }, Event::Tick) => State::Green {
                remaining: Self::GREEN_TIME + w / 2,
            },
            (State::Green { remaining: 0 }, Event::Tick) => State::Yellow,
            (State::Green { remaining }, Event::Tick) => State::Green {
                remaining: remaining - 1,
            },
            (State::Yellow, Event::Tick) => State::default(),
            (s, Event::Reset | Event::Tick | Event::Car) => s,
        }
    }

    fn is_go(&self) -> bool {
        matches!(self, State::Green { remaining } if *remaining > 0)
    }
}

impl Default for State {
    fn default() -> Self {
        State::Red { waiting: 0 }
    }
}

pub fn main() {
    use Event::*;
    let x = public_input();
    let script = [
        Tick,
        Car,
        Car,
        Tick,
        Tick,
        Tick,
        Tick,
        Tick,
        Tick,
        Car,
        Tick,
        Break(FaultCode::Power),
        Tick,
        Reset,
        Car,
    ];
    let trace: Vec<State> = script
        .iter()
        .scan(State::default(), |s, &e| {
            *s = s.next(e);
            Some(*s)
        })
        .collect();
    assert_eq!(trace[7], State::Yellow);
    assert_eq!(trace[11], State::Fault(FaultCode::Power));
    assert_eq!(trace.last(), Some(&State::Red { waiting: 1 }));
    let go = trace.iter().filter(|s| s.is_go()).count();
    let code = trace.iter().find_map(|s| {
        if let State::Fault(c) = s {
            Some(*c as usize)
        } else {
            None
        }
    });
    reveal(felt(go) * x);
    reveal(felt(code.unwrap_or(FaultCode::Sensor as usize)));
}
