/* Neural resynthesis with the weights inside libopus 1.6.1 (BSD-3-Clause, crate opusic-sys 0.7.7).
   voder fargan        < 16 kHz float32 > float32   LPCNet features, then the FARGAN vocoder
   voder dred LEVEL    the same through the DRED autoencoder (RDOVAE), quantizer LEVEL 0 (fine) to 15 (coarse) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "lpcnet.h"
#include "lpcnet_private.h"
#include "fargan.h"
#include "dred_rdovae_enc.h"
#include "dred_rdovae_dec.h"
#include "dred_rdovae_enc_data.h"
#include "dred_rdovae_dec_data.h"
#include "dred_rdovae_stats_data.h"
#include "cpu_support.h"

#define BLOCK 24 /* latents of 40 ms decoded from one state, about 1 s as DRED does */

static void quantize(float *x, const opus_uint8 *scale, const opus_uint8 *dead, const opus_uint8 *r,
                     const opus_uint8 *p0, int dim) {
    for (int i = 0; i < dim; i++) {
        float delta = dead[i] / 256.f, q = x[i] * scale[i] / 256.f;
        q -= delta * tanhf(q / (delta + .1f));
        q = floorf(.5f + q);
        if (r[i] == 0 || p0[i] == 255) q = 0;
        x[i] = q * 256.f / (scale[i] == 0 ? 1 : scale[i]);
    }
}

int main(int argc, char **argv) {
    int arch = opus_select_arch(), level = argc > 2 ? atoi(argv[2]) : 6, frames, i, k;
    size_t size = 0, room = 1 << 20, got;
    float *pcm = malloc(room * sizeof(float)), *features;
    if (argc < 2) return 1;
    while ((got = fread(pcm + size, sizeof(float), room - size, stdin)) > 0)
        if ((size += got) == room) pcm = realloc(pcm, (room *= 2) * sizeof(float));
    frames = size / 160 / 4 * 4;
    features = calloc((size_t)frames * NB_FEATURES + 1, sizeof(float));
    LPCNetEncState *enc = lpcnet_encoder_create();
    for (i = 0; i < frames; i++) {
        float all[NB_TOTAL_FEATURES], in[160];
        for (k = 0; k < 160; k++) in[k] = 32768.f * pcm[i * 160 + k];
        lpcnet_compute_single_frame_features_float(enc, in, all, arch);
        memcpy(features + i * NB_FEATURES, all, NB_FEATURES * sizeof(float));
    }
    if (!strcmp(argv[1], "dred")) {
        RDOVAEEnc em; RDOVAEDec dm; RDOVAEEncState es; RDOVAEDecState ds;
        int chunks = frames / 2, c, from;
        float *latents = calloc((chunks + 1) * (DRED_LATENT_DIM + 1), sizeof(float));
        float *states = calloc((chunks + 1) * DRED_STATE_DIM, sizeof(float));
        memset(&es, 0, sizeof(es));
        if (init_rdovaeenc(&em, rdovaeenc_arrays) || init_rdovaedec(&dm, rdovaedec_arrays)) return 2;
        for (c = 0; c < chunks; c++) {
            float *z = latents + c * (DRED_LATENT_DIM + 1), *s = states + c * DRED_STATE_DIM;
            dred_rdovae_encode_dframe(&es, &em, z, s, features + 2 * c * NB_FEATURES, arch);
            int o = level * DRED_LATENT_DIM, p = level * DRED_STATE_DIM;
            quantize(z, dred_latent_quant_scales_q8 + o, dred_latent_dead_zone_q8 + o, dred_latent_r_q8 + o,
                     dred_latent_p0_q8 + o, DRED_LATENT_DIM);
            quantize(s, dred_state_quant_scales_q8 + p, dred_state_dead_zone_q8 + p, dred_state_r_q8 + p,
                     dred_state_p0_q8 + p, DRED_STATE_DIM);
            z[DRED_LATENT_DIM] = level * .125f - 1;
        }
        for (c = chunks - 1; c > 0; c -= 2 * BLOCK) { /* newest to oldest, four frames a latent */
            memset(&ds, 0, sizeof(ds));
            dred_rdovae_dec_init_states(&ds, &dm, states + c * DRED_STATE_DIM, arch);
            for (from = c; from > 0 && from > c - 2 * BLOCK; from -= 2) {
                float out[4 * NB_FEATURES];
                dred_rdovae_decode_qframe(&ds, &dm, out, latents + from * (DRED_LATENT_DIM + 1), arch);
                for (k = 0; k < 4; k++)
                    memcpy(features + (2 * from - 2 + k) * NB_FEATURES, out + (3 - k) * NB_FEATURES,
                           NB_FEATURES * sizeof(float));
            }
        }
    }
    if (frames < 5) return 3;
    FARGANState gan;
    float zeros[320] = {0}, first[5 * NB_FEATURES], out[160];
    fargan_init(&gan);
    for (i = 0; i < 5; i++) memcpy(first + i * NB_FEATURES, features, NB_FEATURES * sizeof(float));
    fargan_cont(&gan, zeros, first);
    for (i = 0; i < frames; i++) {
        fargan_synthesize(&gan, out, features + i * NB_FEATURES);
        fwrite(out, sizeof(float), 160, stdout);
    }
    return 0;
}
