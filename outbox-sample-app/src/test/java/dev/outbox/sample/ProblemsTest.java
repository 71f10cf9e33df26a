package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Requests that name what does not exist, or cannot be read. */
@SampleTest
class ProblemsTest {

    @Autowired
    private Api api;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            404 | GET    | /subscriptions/00000000-0000-0000-0000-000000000000             |
            404 | POST   | /demo/subscriptions/00000000-0000-0000-0000-000000000000/due    |
            404 | POST   | /demo/subscriptions/00000000-0000-0000-0000-000000000000/expiry |
            404 | GET    | /order-intents/00000000-0000-0000-0000-000000000000             |
            404 | POST   | /reservations/00000000-0000-0000-0000-000000000000/confirmation |
            404 | DELETE | /guilds/guild-nowhere/bot                                       |
            404 | POST   | /guilds/guild-nowhere/snapshots | {"trigger": "manual"}
            404 | POST   | /guilds/guild-nowhere/members   | {"discordUserId": "cat", "slug": "welcome"}
            404 | POST   | /subscriptions                  | {"guildId": "guild-nowhere", "planCode": "pro", "userId": "ann"}
            404 | POST   | /exchange/orders/absent/fills   | {"fillId": "fill-1", "volume": 1}
            400 | POST   | /exchange/orders/absent/fills   | {"fillId": "fill-1", "volume": 0}
            400 | POST   | /signals                        | {"ownerId": "o", "strategyKey": "s", "market": "m", "side": "BUY", "volume": -1}
            400 | POST   | /notices                        | {"title": "", "body": ""}
            400 | GET    | /subscriptions/1                |
            400 | POST   | /subscriptions                  | {"planCode": "pro", "userId": "ann"}
            400 | POST   | /subscriptions                  | {"guildId": " ", "planCode": "pro", "userId": "ann"}
            400 | POST   | /subscriptions                  | {"guildId": "guild-1", "planCode": "\\u0000", "userId": "ann"}
            400 | POST   | /subscriptions                  | {"guildId": "guild-1", "planCode": "golden", "userId": "ann"}
            400 | POST   | /subscriptions                  | {"guildId":
            400 | POST   | /guilds/guild-1/snapshots       | {"trigger": "by hand"}
            400 | POST   | /guilds/a guild/incidents       | {"pattern": "x", "suspects": ["y"]}
            400 | POST   | /discord/events | {"op": 0, "s": 1, "t": "GUILD_CREATE", "d": {"id": "111"}}
            400 | POST   | /discord/events | {"op": 0, "s": 1, "t": "GUILD_CREATE", "d": {"owner_id": "222"}}
            400 | POST   | /discord/events | {"op": 0, "s": 1, "t": "MESSAGE_CREATE", "d": {"id": "111"}}
            400 | POST   | /discord/events | {"op": 0, "s": 1, "t": "GUILD_DELETE"}
            400 | POST   | /discord/events | {"op": 0, "t": "GUILD_DELETE", "d": {"id": "111"}}
            400 | POST   | /discord/events | {"op": 0, "s": 1, "t": "GUILD_AUDIT_LOG_ENTRY_CREATE", "d": {"id": "entry", "guild_id": "111", "user_id": "666", "action_type": 12}}
            400 | POST   | /discord/events | {"op": 0, "s": 1, "t": "GUILD_AUDIT_LOG_ENTRY_CREATE", "d": {"id": "4194304", "user_id": "666", "action_type": 12}}
            """)
    void badRequestIsAProblem(int status, String method, String path, String body) {
        ResponseEntity<String> answer = switch (method) {
            case "GET" -> api.get(path);
            case "DELETE" -> api.delete(path);
            default -> api.post(path, body == null ? "" : body);
        };

        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(api.events()).isEmpty();
    }
}
