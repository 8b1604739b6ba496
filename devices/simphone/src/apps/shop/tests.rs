#[test]
fn in_every_shop_the_cheapest_of_a_category_is_one_and_to_be_had() {
    use crate::apps::{App as _, Seed};
    for seed in 0..50 {
        let shop = super::Shop::fresh(&mut Seed::of(seed, super::PACKAGE, 0));
        for category in shop.categories() {
            let all = shop.found(category, "", "cheap");
            assert!(all.len() >= 5 && all[0].stock > 0, "{seed} {category}");
            assert!(all.windows(2).all(|w| w[0].cents < w[1].cents), "{seed} {category}");
        }
    }
}
