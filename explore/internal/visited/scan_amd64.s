#include "textflag.h"

// func scanLines(homes **line, wants, masks *uint32, n int)
TEXT ·scanLines(SB), NOSPLIT, $0-32
	MOVQ homes+0(FP), SI
	MOVQ n+24(FP), CX

prefetch:
	MOVQ (SI), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	ADDQ $8, SI
	DECQ CX
	JNZ  prefetch

	MOVQ homes+0(FP), SI
	MOVQ wants+8(FP), DI
	MOVQ masks+16(FP), DX
	MOVQ n+24(FP), CX
	VPXOR Y0, Y0, Y0

scan:
	MOVQ         (SI), AX
	VPBROADCASTD (DI), Y1
	VMOVDQU      (AX), Y2
	VMOVDQU      32(AX), Y3
	VPCMPEQD     Y2, Y1, Y4
	VPCMPEQD     Y3, Y1, Y5
	VPCMPEQD     Y2, Y0, Y6
	VPCMPEQD     Y3, Y0, Y7
	VMOVMSKPS    Y4, R8
	VMOVMSKPS    Y5, R9
	VMOVMSKPS    Y6, R10
	VMOVMSKPS    Y7, R11
	SHLL         $8, R9
	SHLL         $16, R10
	SHLL         $24, R11
	ORL          R9, R8
	ORL          R11, R10
	ORL          R10, R8
	MOVL         R8, (DX)
	ADDQ         $8, SI
	ADDQ         $4, DI
	ADDQ         $4, DX
	DECQ         CX
	JNZ          scan
	VZEROUPPER
	RET
