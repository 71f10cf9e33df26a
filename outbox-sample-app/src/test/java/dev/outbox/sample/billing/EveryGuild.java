package dev.outbox.sample.billing;

import dev.outbox.sample.discord.Bot;
import org.springframework.context.annotation.Primary;

/** Bot that is in every guild. */
@Primary
final class EveryGuild implements Bot {

    @Override
    public void requireIn(String guildId) {}
}
