use std::thread;

/// The most threads: beyond it the disk binds.
const THREADS: usize = 8;

/// Works on the items with all processors; the answers come in the items' order.
pub fn on_all_processors<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = thread::available_parallelism().map_or(2, usize::from).min(THREADS);
    let share = items.len().div_ceil(workers).max(1);
    let work = &work;
    thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<_>>()))
            .collect();
        let joined = parts.into_iter().map(|part| part.join());
        joined.flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
