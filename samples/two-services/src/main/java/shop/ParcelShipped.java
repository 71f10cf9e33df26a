package shop;

/** Event of the warehouse. */
public record ParcelShipped(String parcel, String orderId) {}
