//! The words of the sample `shop`: customers, products, places. All are invented, but for the places.

/// Company, city, country and number of orders of each wholesale customer.
pub(super) const WHOLESALE: [(&str, &str, &str, u64); 6] = [
    ("Harbour Coffee", "Hamburg", "DE", 1_480),
    ("Canal Grocers", "Amsterdam", "NL", 1_210),
    ("Corner Kitchen", "Lyon", "FR", 1_000),
    ("Alpine Foods", "Bern", "CH", 960),
    ("Thames Larder", "London", "GB", 880),
    ("Lakeside Deli", "Chicago", "US", 820),
];

/// City and country of other customers; of those with more customers several times.
pub(super) const CITIES: [(&str, &str); 32] = [
    ("Berlin", "DE"),
    ("Berlin", "DE"),
    ("Berlin", "DE"),
    ("Hamburg", "DE"),
    ("Hamburg", "DE"),
    ("Munich", "DE"),
    ("Munich", "DE"),
    ("Cologne", "DE"),
    ("Leipzig", "DE"),
    ("Stuttgart", "DE"),
    ("Paris", "FR"),
    ("Paris", "FR"),
    ("Lyon", "FR"),
    ("Nantes", "FR"),
    ("Amsterdam", "NL"),
    ("Rotterdam", "NL"),
    ("Utrecht", "NL"),
    ("Vienna", "AT"),
    ("Graz", "AT"),
    ("Zurich", "CH"),
    ("Bern", "CH"),
    ("Basel", "CH"),
    ("London", "GB"),
    ("London", "GB"),
    ("Leeds", "GB"),
    ("Bristol", "GB"),
    ("Milan", "IT"),
    ("Bologna", "IT"),
    ("Madrid", "ES"),
    ("New York", "US"),
    ("Chicago", "US"),
    ("Portland", "US"),
];

/// Name and price in hundredths of each product.
pub(super) const PRODUCTS: [(&str, u64); 28] = [
    ("espresso-1kg", 1_890),
    ("espresso-250g", 590),
    ("filter-coffee-1kg", 1_690),
    ("filter-coffee-250g", 540),
    ("decaf-250g", 620),
    ("green-tea-100g", 480),
    ("black-tea-100g", 450),
    ("mint-tea-50g", 320),
    ("cocoa-500g", 790),
    ("oat-drink-1l", 219),
    ("cane-sugar-1kg", 299),
    ("honey-500g", 849),
    ("almonds-400g", 699),
    ("hazelnuts-400g", 749),
    ("dates-500g", 579),
    ("olive-oil-750ml", 1_290),
    ("balsamico-250ml", 890),
    ("sea-salt-250g", 349),
    ("penne-500g", 229),
    ("risotto-rice-1kg", 449),
    ("tomatoes-400g", 149),
    ("chickpeas-400g", 139),
    ("dark-chocolate-100g", 289),
    ("shortbread-200g", 359),
    ("cup-white", 990),
    ("kettle-1l", 4_900),
    ("hand-grinder", 6_490),
    ("filter-papers-100", 379),
];

/// Notes of customers.
pub(super) const NOTES: [&str; 8] = [
    "Leave it at the back door.",
    "Please ring twice.",
    "Neighbour takes it: Ms Özdemir.",
    "Not before ten o'clock.",
    "Merci de ne pas plier le carton.",
    "Bitte ohne Plastik verpacken.",
    "Ramp on the left side, ask for Jo.",
    "Second try: the first parcel came back.",
];

/// Coupons.
pub(super) const COUPONS: [&str; 4] = ["WELCOME5", "WINTER10", "FRIENDS", "TEA-WEEK"];

/// Carriers of parcels.
pub(super) const CARRIERS: [&str; 4] = ["courier", "parcel-post", "bike", "pickup-point"];

/// Reasons of returns.
pub(super) const REASONS: [&str; 5] =
    ["damaged", "wrong item", "too late", "not as described", "changed my mind"];
