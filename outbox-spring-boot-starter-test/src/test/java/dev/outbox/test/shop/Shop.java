package dev.outbox.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Application that the tests of the kit test. */
@SpringBootApplication
public class Shop {}
