package dev.outbox.test.shop;

import dev.outbox.OutboxHandler;
import org.springframework.stereotype.Component;

/** Handler of another stream; remembers its thread. */
@Component
class Counting {

    Thread thread;

    @OutboxHandler(id = "counting")
    void count(StockCounted counted) {
        thread = Thread.currentThread();
    }
}
