//! Columns of the processor table.

droste_air::columns! {
    /// One executed instruction.
    pub struct CpuCols<T> {
        /// Program counter.
        pub pc: T,
        /// Frame pointer.
        pub fp: T,
        /// One on `Add`.
        pub is_add: T,
        /// One on `Mul`.
        pub is_mul: T,
        /// One on `Deref`.
        pub is_deref: T,
        /// One on `Jump`. A row without any of the four flags is a `Call`.
        pub is_jump: T,
        /// One where A, B, C is a word of the frame.
        pub in_memory: [T; 3],
        /// One where A, B, C is relative to the frame pointer.
        pub in_frame: [T; 3],
        /// One where D is relative to the frame pointer.
        pub d_in_frame: T,
        /// Precompile identity.
        pub id: T,
        /// Fields of A, B, C.
        pub fields: [T; 3],
        /// Field of D.
        pub d: T,
        /// Immediate E.
        pub e: T,
        /// Values of A, B, C.
        pub values: [T; 3],
    }
}

impl<T> CpuCols<T> {
    /// Columns whose next row is read.
    pub const NEXT: [usize; 2] = [0, 1];
}
