package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.console.internal.web.ConsoleSettings;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;

/** Requests of other sites change nothing, with and without Spring Security's token. */
class SameOriginTest {

    private final OutboxOperations operations = mock();
    private final MockMvc console = MockMvcBuilders.routerFunctions(new Console(
                            new ConsoleSettings("/outbox", "shop", null, false),
                            mock(OutboxInspector.class),
                            operations,
                            mock(Replays.class),
                            mock(ScheduledEvents.class))
                    .routes())
            .build();

    @ParameterizedTest
    @CsvSource({
        "same-origin, , , 303",
        "none, , , 303",
        "cross-site, , , 403",
        "same-site, , , 403",
        "cross-site, https://shop.test, , 403",
        " , https://shop.test, , 303",
        " , https://SHOP.test, , 303",
        " , https://shop.test:444, , 403",
        " , https://evil.test, , 403",
        " , https://shop.test.evil.test, , 403",
        " , https://shop.test@evil.test, , 403",
        " , null, https://shop.test/, 403",
        " , , https://shop.test/outbox, 303",
        " , , https://evil.test/outbox, 403",
        " , //shop, , 403",
        " , not a url, , 403",
        " , , , 403"
    })
    void onlyOwnPagesChangeAnything(String site, String origin, String referer, int status) throws Exception {
        when(operations.pauseHandler(any(), any(), any())).thenReturn(true);
        MockHttpServletRequestBuilder request = post("/outbox/pause")
                .param("subject", "handler")
                .param("name", "mail")
                .param("reason", "why")
                .principal(new TestingAuthenticationToken("ann", "", "ROLE_OUTBOX_OPERATOR"))
                .header("Host", "shop.test");
        add(request, "Sec-Fetch-Site", site);
        add(request, "Origin", origin);
        add(request, "Referer", referer);

        assertThat(console.perform(request).andReturn().getResponse().getStatus())
                .isEqualTo(status);
        Mockito.verify(operations, Mockito.times(status == 303 ? 1 : 0)).pauseHandler("mail", "ann", "why");
    }

    private static void add(MockHttpServletRequestBuilder request, String name, String value) {
        if (value != null) {
            request.header(name, value);
        }
    }
}
