package shop;

record CustomerRegistered(String name) {}
