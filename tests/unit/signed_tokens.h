/* Keys and tokens made with python3-cryptography 38, an implementation independent of ours. The
 * claims of every token are {"sub":"ann"}. */
#ifndef ASSAY_SIGNED_TOKENS_H
#define ASSAY_SIGNED_TOKENS_H

static const char rsa_key[] =
    "{\"kty\":\"RSA\",\"kid\":\"r1\",\"n\":\"ygFnBiMzGDJEZKMjgBrBLr_rnAKNeY00RY35H6gs"
    "JkEw0xwem2617GKd2RFNXhxGbDVAOSnuihOGjJ-zyiJS8BAYuIyKtYMTfgQMYk1evTN8-kT_VLmLMGcu"
    "yx6PwI9f80sSs0bT1VajFQTioSWj2KvbMh4pqfcNFKAj3y2CY09I9Ex5TVA__gryHe0l_ZcGNV03GGVo"
    "5kkEVDoAAzenCRsnSWCeyJkZ-t9VRoh3qBbPmVMu2cMtSUbLqO_gfjOn_XoWaTYvFlhdxdSFf_ds3QCG"
    "OPdKZslelVWZj_12v-tCjO1R8x8R9JPWUMrAHP8f6zIBccYothItHOlsRwDnYQ\",\"e\":\"AQAB\"}";

static const char ec_key[] =
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"e1\",\"x\":\"pMw9yBRrEmioZnE8-cvJ6eI"
    "jBYo9yPmjJcNeiwrjszQ\",\"y\":\"th5FySxDu2t6cp_oOk5Nx_MILqoM2-ULJJNILN_Rimw\",\"u"
    "se\":\"sig\",\"alg\":\"ES256\"}";

static const char small_rsa_key[] =
    "{\"kty\":\"RSA\",\"kid\":\"small\",\"n\":\"w7sZ9RmhhtOMbL2Jr2GZ8CvVg0u6HshVHKLVg"
    "9kpVGNij4V_6SUaoazzcfdXcmJo4TCaTkoRsdvUbSTSMXiGCuXsa1a48Pguv7krJ_Ka3HP78hjYcnmNn"
    "Y5lYE2m1UJCWWnffthALsdRP9WCumieSLOgey06qo_WdAugKk6Xick\",\"e\":\"AQAB\"}";

static const char rs256_token[] =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InIxIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbm4ifQ.Ozyj5V86R"
    "JoWttR-fappkiw4z09N5KD32N2jPf5L49pR9sY_nTlb4_kH1z4JHxjav-VJDAbcaHSBSm8dCEmekt0WC"
    "dlXNbfCyxm_PiqG7bIYd6jKo8OOQW12NVEGiPXlj-zMJHcvmvqi_MaueuW5m0n9S62oVtWVXlIF2Gxjr"
    "hkT3Y6UJUlFRjr_Y3hBQjbv_6S37b0M1SQ69r1ayoXu-zGmWQh_3O8PCHM3OcsQyvvJk0e2JibSWz2GC"
    "cqD9tle2MJW94riM_F3C4c6mlm7v9oeka4i_PYgLATu2XdOi0qsyREbxh_Su9ozLu85v-m0wKsEkc2JO"
    "PV1EsGNwWtpng";

static const char ps256_token[] =
    "eyJhbGciOiJQUzI1NiIsImtpZCI6InIxIn0.eyJzdWIiOiJhbm4ifQ.cIBG7fDGYamjZA4U8CLG_t9sa"
    "WNA5AKHYjApxY9_FPOYJxnxQ8BJMNNl9xdjgVqa0Drn8_hrdt-aWvRGPKoM6Ww4rbUKIOK-qb9fTtsEy"
    "fgeWavBDC270A3gRhJDyRTSaP_54mwi-tvb0Kq57p1a3N8FGCQN5MbmtEwDew9nLdsFs92OCl1cSS_M3"
    "KjqDAFY6tE9KwwohhukH2817h0grID3RLA69YXp5Ig2kxtwuLK7IyHNcUdzWAz62NtX_DRe2OUGaIzV-"
    "J-e7Yl8gPGtCdzj_nYXQNxwmLzlDvDszQ22Q5-0DZvzrxZNgX6obhusjEWczml1QOtqBgjQUa7-uA";

static const char es256_token[] =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImUxIn0.eyJzdWIiOiJhbm4ifQ.sSxbUPQPm06uZTzPXxAVYF-W0"
    "uC0lLiQqMoZtjtygPCR7LYsY-H0cXqMzmgaAh4JuWf305ntmQ-u14kKR9DIDA";

static const char nameless_token[] =
    "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.2ZqYHSh2uHLrrC2fuUkIN6eVbBFqA9E6a_wgiZ44"
    "l7f77fBiCzheOodmsKuPmkcdZqpE6jTQzjxV1W0eEybLAQ";

static const char small_token[] =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InNtYWxsIn0.eyJzdWIiOiJhbm4ifQ.BojgYa1TtJQf0Nv9z99vL"
    "3urKMHn8MdQpSJTybn_tGenSxltbvuOIOwewtX9Mh9Zoc3FctI9sm14vrc2fzoar3N4dcqN8L7VNhSXk"
    "XU0h8TeHLTDIOB8ilTgjDoizia-adaJXsm7flXPKctOF_F6B9sl0yyJytKvNpyGTFxawi0";

static const char access_token[] =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InIxIiwidHlwIjoiYXQrand0In0.eyJzdWIiOiJhbm4ifQ.mUcEB"
    "Frf2G1droVSGCSWqzDhQjWbvBV26Fd5FPNCGfkdZLBS7kX4327h3n_H0NveeD-70WTkSXEYTxAS-OmF3"
    "5I0FbqOr4AlZ0_7J02s7lR_L6njUiz5MOpfAQfILELRQA9b6yc4jZ246vLogAyjY-x_0q_Ki004l45nT"
    "T8EtTFa5jtAawZrsZSO5jBpANhmsph4Zt292omRMhQKXXLGCHBiJ9bmlwZgI8oM8FlbPaWYY8QGZYGVv"
    "5W_5l8j3cZQybXTPMt9EUjXfWJnFg1PKw6Fd0H95wxrlm1gKAM3b4JqZNszqsxLLLCUr7EcYPDdtuf5S"
    "v8X80Xy4qP2mRZMcA";

static const char critical_token[] =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6InIxIiwiY3JpdCI6WyJleHAiXX0.eyJzdWIiOiJhbm4ifQ.X29Im"
    "vfo5kPiq_QXGY6rhGnjfdTivODDdF_BNnSX6HcsiByfEZ9JMo9VjRj0ymxG0qOr94pGoVn6kRWe95d2M"
    "upLoJk5Oo1CldTlw0bZi4c2ome3aFhWynSzfeYP6H6YjPy6V7OFfWwQbS0nUYy1K2lLgwZgL2vpXYQYo"
    "zyCZjDJ9pfNH1biOEfc-c6ju25Q4NgU1hmogZHQTfFylN4YsYUKkob0O2wj5Zt_R5tlT7DDVqKaD8fZ_"
    "a7H-ItNHcq7b4V6FPrhQB1JaUngUBd5CIyhzcqa0E6Y6cFuoP58Vd06vo8bDWZU6k8SS2HlMDcyAA2xq"
    "mLKpUrDQhEJmzuWEQ";

static const char numbered_token[] =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6MX0.eyJzdWIiOiJhbm4ifQ.kThG0nriYyPylrxMoXWRQhL5KNzu4"
    "_O-u-J6U6wrv_HLTWKeycRK--KfZ-qZF_GBThGkDe-OBmFM2kNJQvnigC3hMCJhd6WFE74Tj_sakfrfz"
    "NA_o_cQXCN2-HjEq1N1MG678PATeQg6YTwmRQpdQ2FMTpTKmMha0rtI6uyUyjXZR-ScDFqJFRZ8MT0LH"
    "BzBtXwd0JAG3-4vWD0DTeUg_SHmmew8IHdtwhtK0qxA92oLkO3x0Igork8C0JRdTkLiwj6VlqUAVGf-F"
    "_gWLqwb-F6VLXwvrsDsyfbY6rG7Iqee8ovgYm8kDx1RIGVE_e8sAMIeB1YSIXM6jblfr76JWA";

static const char foreign_token[] =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImUxIn0.eyJzdWIiOiJhbm4ifQ.-NWIrJYRl24vKOpj0L19WxZ2a"
    "WH4cMc_Xl2ujpBf-pBv7r62MYSaQZeUzhRJvZ-ol-cQe1WlFUQxLN_zPxp1ZA";

static const char short_number_token[] =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImUxIn0.eyJzdWIiOiJhbm4ifQ.AEXRK36m0C0SQzLpp1v99Py1x"
    "otB_Yym4CvBCPQRSkRK5TvdBKvrL3jvII68sTeHm1HK36LlZwoswbsDfVXH9A";

static const char hs256_token[] =
    "eyJhbGciOiJIUzI1NiIsImtpZCI6InIxIn0.eyJzdWIiOiJhbm4ifQ.yOOo7HYzrviHxxhaxWjPo9j5C"
    "98BhziOF_9BZD3S8Kw";

static const char unsigned_token[] = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.";

static const char lower_case_token[] =
    "eyJhbGciOiJyczI1NiIsImtpZCI6InIxIn0.eyJzdWIiOiJhbm4ifQ.m265IfgmORWeI_qovn-LvXXho"
    "hiQX8rRzKNmkgfC5dOMBNn-dUiodDjVCxnGw8iR7sTlL5pS02EGBobmZtqPp_Ck0oXkaj8YWg4nesXv1"
    "BOvosqUmXjuxoTVwkoUoRptQM2rgTliC5CJDGHmc-159Mkgou844ixeX7bDSRHLgwS7mv19KAyxM9pDl"
    "4TmkwsG-VKZ0e7Swisvw30YTqUwmhS6wlIIOJnWxpCMZBxQzwgGNcPJsstjsSPgbmUFAWOQzqlUNbgfw"
    "pOMIrzkLBMnhOZpXcMQEBxSEsaimxQ7o4KVwEpnKRls4YGACjfedaE7r5l9qO7HJjzoXqCvwea08Q";

static const char off_curve_key[] =
    "{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"off\",\"x\":\"pMw9yBRrEmioZnE8-cvJ6e"
    "IjBYo9yPmjJcNeiwrjszQ\",\"y\":\"th5FySxDu2t6cp_oOk5Nx_MILqoM2-ULJJNILN_Rim0\"}";

static const char off_curve_token[] =
    "eyJhbGciOiJFUzI1NiIsImtpZCI6Im9mZiJ9.eyJzdWIiOiJhbm4ifQ.fNb3TUDZdvMSIKqsM2PY1HuQ"
    "kNe-ufN2pqs0q4X60X4CPGFTb2_Nb1ugfaLVHEzyifLZKxbGdujbEKpg7I1oXA";

#endif
