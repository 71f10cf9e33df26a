package warehouse;

public record ParcelShipped(String parcel, String orderId) {}
