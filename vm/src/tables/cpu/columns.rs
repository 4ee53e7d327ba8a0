//! Columns of the table `cpu`.

droste_air::columns! {
    /// One executed instruction.
    pub struct CpuCols<T> {
        /// Program counter.
        pub pc: T,
        /// Frame pointer.
        pub fp: T,
        /// One if the instruction is `Add`.
        pub is_add: T,
        /// One if the instruction is `Mul`.
        pub is_mul: T,
        /// One if the instruction is `Deref`.
        pub is_deref: T,
        /// One if the instruction is `Jump`. A row without any of the four flags is a `Call`.
        pub is_jump: T,
        /// One if A, B, C is read from memory.
        pub in_memory: [T; 3],
        /// One if A, B, C is relative to the frame pointer.
        pub in_frame: [T; 3],
        /// One if D is relative to the frame pointer.
        pub d_in_frame: T,
        /// Identity of the precompile that is called.
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
    /// Indices of the columns that constraints also read on the next row: `pc` and `fp`.
    pub const NEXT: [usize; 2] = [0, 1];
}
