package warehouse;

/** Event of the shop: what the warehouse needs of it. */
public record OrderPlaced(String orderId, String article) {}
