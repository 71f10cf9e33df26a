package dev.outbox.sample.demo;

/** A simulated gateway and its outage. */
record GatewayFault(String name, Outage fault) {}
