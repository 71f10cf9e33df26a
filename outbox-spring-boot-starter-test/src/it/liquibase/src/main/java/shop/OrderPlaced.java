package shop;

record OrderPlaced(String article) {}
