package dev.outbox.console.internal.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import dev.outbox.operations.OutboxOperations;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mockito;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** Requests of other sites change nothing, with and without Spring Security's token. */
class SameOriginTest {

    private final TestConsole console = TestConsole.insecure();
    private final OutboxOperations operations = console.operations;

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

        assertThat(console.send(request).getStatus()).isEqualTo(status);
        Mockito.verify(operations, Mockito.times(status == 303 ? 1 : 0)).pauseHandler("mail", "ann", "why");
    }

    private static void add(MockHttpServletRequestBuilder request, String name, String value) {
        if (value != null) {
            request.header(name, value);
        }
    }
}
