package dev.outbox.spring.guides;

import dev.outbox.DeadLetter;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;

/** The handler after the move. */
class Confirmations {

    private final Mail mail;

    Confirmations(Mail mail) {
        this.mail = mail;
    }

    @OutboxHandler(id = "mail.confirm")
    void confirm(OrderPlaced event) {
        mail.confirm(event);
    }

    @OutboxDeadLetter("mail.confirm")
    void gaveUp(DeadLetter letter) {
        mail.giveUp(letter.event().aggregateId());
    }
}
