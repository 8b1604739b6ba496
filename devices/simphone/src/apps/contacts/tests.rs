use super::*;

#[test]
fn the_seed_brings_duplicates_and_a_namesake() {
    let mut seed = Seed::of(5, PACKAGE, 0);
    let people = people::people(&mut seed);
    assert_eq!(people.len(), 27);
    let twice = people
        .iter()
        .filter(|p| people.iter().any(|q| q.id < p.id && q.name() == p.name()))
        .collect::<Vec<_>>();
    assert_eq!(twice.len(), 3);
    let same = |p: &Person, q: &Person| people::digits(&p.phone) == people::digits(&q.phone);
    let real = twice.iter().filter(|p| people.iter().any(|q| q.id < p.id && same(p, q))).count();
    assert_eq!(real, 2, "one of the three only has the same name");
}
