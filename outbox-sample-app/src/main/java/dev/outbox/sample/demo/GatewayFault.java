package dev.outbox.sample.demo;

/** A simulated gateway, and whether it is down. */
record GatewayFault(String name, boolean down) {}
