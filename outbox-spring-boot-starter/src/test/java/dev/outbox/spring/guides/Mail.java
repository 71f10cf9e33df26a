package dev.outbox.spring.guides;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the handlers call. */
class Mail {

    final List<String> confirmed = new CopyOnWriteArrayList<>();
    final List<String> givenUp = new CopyOnWriteArrayList<>();

    void confirm(OrderPlaced event) {
        if (event.article().equals("poison")) {
            throw new IllegalArgumentException("no such article");
        }
        confirmed.add(event.orderId());
    }

    void giveUp(String orderId) {
        givenUp.add(orderId);
    }
}
