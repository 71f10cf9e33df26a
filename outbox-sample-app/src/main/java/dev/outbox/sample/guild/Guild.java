package dev.outbox.sample.guild;

import java.time.Instant;

/** A guild and whether the bot is in it: {@code installed}, {@code kicked}, or {@code deleted} with its guild. */
record Guild(String id, String ownerId, String status, Instant changedAt) {

    boolean hasBot() {
        return status.equals("installed");
    }
}
