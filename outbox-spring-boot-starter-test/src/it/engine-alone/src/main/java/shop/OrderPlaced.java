package shop;

public record OrderPlaced(String article, int quantity) {}
