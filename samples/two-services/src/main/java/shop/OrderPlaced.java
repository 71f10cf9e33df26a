package shop;

public record OrderPlaced(String orderId, String article) {}
