package dev.outbox.sample.guild;

import dev.outbox.sample.demo.Traffic;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.stereotype.Component;

/** Guilds that install the bot, and kick it. */
@Component
final class GuildTraffic implements Traffic {

    private final Queue<String> installed = new ConcurrentLinkedQueue<>();
    private final Guilds guilds;

    GuildTraffic(Guilds guilds) {
        this.guilds = guilds;
    }

    @Override
    public void next() {
        String guild = installed.poll();
        if (guild == null) {
            installed.add(guilds.install("guild-" + UUID.randomUUID(), "demo").id());
        } else {
            guilds.kick(guild);
        }
    }
}
