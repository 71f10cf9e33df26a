package dev.outbox.sample.adapters.discord;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.delete;
import static com.github.tomakehurst.wiremock.client.WireMock.deleteRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.noContent;
import static com.github.tomakehurst.wiremock.client.WireMock.okJson;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.put;
import static com.github.tomakehurst.wiremock.client.WireMock.putRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.discord.GuildRoles;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Roles of a server that speaks Discord's protocol. */
class DiscordGuildRolesTest {

    @RegisterExtension
    private static final WireMockExtension discord = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    private GuildRoles roles;

    @BeforeEach
    void connect() {
        GatewayTimeouts timeouts = new GatewayTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(30));
        roles = new DiscordGuildRoles(
                new Discord(new DiscordSettings("token-1", URI.create(discord.baseUrl()), timeouts)));
        discord.stubFor(
                get(urlEqualTo("/guilds/1/roles")).willReturn(okJson("[{\"id\": \"5\", \"name\": \"admin\"}]")));
        discord.stubFor(post(urlEqualTo("/guilds/1/roles")).willReturn(okJson("{\"id\": \"6\"}")));
    }

    @Test
    void createsARoleOnce() {
        roles.restore("1", "admin");
        discord.verify(0, postRequestedFor(urlEqualTo("/guilds/1/roles")));

        roles.restore("1", "moderator");

        discord.verify(
                1,
                postRequestedFor(urlEqualTo("/guilds/1/roles"))
                        .withRequestBody(equalToJson("{\"name\": \"moderator\"}")));
    }

    @Test
    void readsTheRolesThatCanBeRestored() {
        discord.stubFor(get(urlEqualTo("/guilds/1/roles")).willReturn(okJson("""
                [{"id": "1", "name": "@everyone", "managed": false},
                 {"id": "5", "name": "admin, deputy", "managed": false},
                 {"id": "7", "name": "a bot", "managed": true}]
                """)));

        assertThat(roles.read("1")).containsExactly("admin, deputy");
    }

    @Test
    void givesAMemberARoleThatExists() {
        discord.stubFor(put(urlEqualTo("/guilds/1/members/2/roles/5")).willReturn(noContent()));

        roles.grant("1", "2", "admin");

        discord.verify(1, putRequestedFor(urlEqualTo("/guilds/1/members/2/roles/5")));
        assertThatThrownBy(() -> roles.grant("1", "2", "moderator"))
                .isInstanceOf(NonRetryableException.class)
                .hasMessage("guild 1 has no role moderator");
    }

    @Test
    void removesEveryRoleOfAMember() {
        member("[\"5\", \"6\"]");

        roles.revoke("1", "2");

        discord.verify(deleteRequestedFor(urlEqualTo("/guilds/1/members/2/roles/5")));
        discord.verify(deleteRequestedFor(urlEqualTo("/guilds/1/members/2/roles/6")));
    }

    @Test
    void failureToRemoveARoleIsReported() {
        member("[\"5\"]");
        discord.stubFor(delete(urlEqualTo("/guilds/1/members/2/roles/5"))
                .willReturn(aResponse()
                        .withStatus(403)
                        .withBody("{\"code\": 50013, \"message\": \"Missing Permissions\"}")));
        assertThatThrownBy(() -> roles.revoke("1", "2")).isInstanceOf(NonRetryableException.class);

        discord.stubFor(delete(urlEqualTo("/guilds/1/members/2/roles/5"))
                .willReturn(aResponse().withStatus(503)));
        assertThatThrownBy(() -> roles.revoke("1", "2")).isInstanceOf(GatewayException.class);
    }

    private static void member(String roles) {
        discord.stubFor(get(urlEqualTo("/guilds/1/members/2")).willReturn(okJson("{\"roles\": %s}".formatted(roles))));
        for (String role : new String[] {"5", "6"}) {
            discord.stubFor(
                    delete(urlEqualTo("/guilds/1/members/2/roles/" + role)).willReturn(noContent()));
        }
    }
}
