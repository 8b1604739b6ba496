use crate::apps::drive::AppDriver;

fn fill(d: &mut AppDriver) {
    for (id, text) in
        [("full_name", "Ada Byron"), ("address", "12 Mill Lane"), ("city", "Leeds"), ("postcode", "LS1 4AP")]
    {
        d.type_into(id, text).back();
    }
}

#[test]
fn the_cheapest_lamp_is_bought_in_red() {
    let mut d = AppDriver::of(super::PACKAGE);
    let lamps = d.rows("content://shop/products", "category='Lamps'");
    let cheapest = lamps.iter().min_by_key(|r| r.int("price_cents")).unwrap().clone();
    d.tap_text("Lamps");
    assert_eq!(d.text("result_count"), format!("{} products", lamps.len()));
    d.tap("sort_button").tap_text("Price: low to high");
    assert_eq!(d.text("product_title"), cheapest.text("name"));
    d.tap("product_card").tap_text("Red").tap("add_to_cart").tap("action_cart").tap("quantity_plus");
    assert_eq!(d.text("quantity"), "2");
    d.tap("checkout_button").tap("pay_button");
    assert_eq!(d.toast(), "Please fill in: Full name");
    fill(&mut d);
    d.tap("delivery_express");
    let total = cheapest.int("price_cents").unwrap() * 2 + super::EXPRESS;
    assert_eq!(d.text("pay_button"), format!("Pay {}", crate::apps::parts::money(total)));
    d.tap("pay_button");
    assert!(d.shows("Order confirmed"), "{}", d.xml());
    let order = d.rows("content://shop/orders", "").remove(0);
    assert_eq!(order.int("total_cents"), Some(total));
    assert_eq!((order.text("delivery"), order.text("city")), ("express".into(), "Leeds".into()));
    let item = d.rows("content://shop/order_items", "").remove(0);
    assert_eq!((item.text("options"), item.int("quantity")), ("Red".into(), Some(2)));
    assert!(d.rows("content://shop/cart", "").is_empty());
    d.tap("continue_shopping");
    assert!(d.w.foreground().short().ends_with(".ProductActivity"), "the emptied cart is left too");
    d.again().tap("action_more").tap_text("Your orders");
    assert!(d.shows(&format!("Order {}", order.text("number"))));
}

#[test]
fn what_is_searched_is_found_and_what_is_sold_out_is_not_sold() {
    let mut d = AppDriver::of(super::PACKAGE);
    let gone = d.rows("content://shop/products", "stock=0").remove(0).text("name");
    d.type_into("search_src_text", &gone.to_uppercase()).back();
    assert_eq!(d.texts("product_title"), [gone.as_str()]);
    d.tap_text(&gone).tap("add_to_cart");
    assert!(d.rows("content://shop/cart", "").is_empty());
    d.tap("action_favorite");
    assert_eq!(d.rows("content://shop/favorites", "").remove(0).text("name"), gone);
    d.back().type_into("search_src_text", "no such thing");
    assert_eq!(d.text("empty"), "Nothing found");
    d.back().back();
    assert!(d.texts("product_title").len() > 3, "back ends the search");
}

#[test]
fn a_cart_keeps_its_lines_and_their_options_apart() {
    let mut d = AppDriver::of(super::PACKAGE);
    d.type_into("search_src_text", "lamps").back().tap("product_card").tap("add_to_cart").tap_text("Green");
    d.tap("add_to_cart").tap("add_to_cart").again().tap("action_cart");
    assert_eq!(d.texts("line_options"), ["Black", "Green"]);
    assert_eq!(d.texts("quantity"), ["1", "2"]);
    d.tap_nth("quantity_minus", 1).tap_nth("line_remove", 0);
    let left = d.rows("content://shop/cart", "");
    assert_eq!((left.len(), left[0].text("options"), left[0].int("quantity")), (1, "Green".into(), Some(1)));
    d.tap("quantity_minus");
    assert_eq!(d.text("empty"), "Your cart is empty");
}

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
